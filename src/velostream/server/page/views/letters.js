// Dead letters: which, why, the record itself, and once more through the job.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { count, moment, span } from "../format.js";
import { confirm, open, closeDialog, toast } from "../overlays.js";
import { badge, empty, field, heads, select } from "../parts.js";

const PAGE = 100;

export function view({ query, draw, poll, signal, go, fail }) {
  const filter = Object.fromEntries(["app", "job", "reason", "source", "text"].map((name) => [name, query.get(name) || ""]));
  const offset = Number(query.get("offset") || 0);
  const chosen = new Map();
  let known = null;
  function set(changes) {
    // From the address and not from what was drawn: two choices may come before the page is drawn anew.
    const now = Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] || ""));
    const wanted = new URLSearchParams(Object.entries({ ...now, offset: 0, ...changes }).filter(([, value]) => value));
    go(`letters${wanted.size ? `?${wanted}` : ""}`, { quiet: true });
  }
  async function refresh() {
    const asked = (more) => get("/api/v1/dlq", { ...filter, ...more }, { signal });
    const [letters, any, jobs] = await Promise.all([asked({ limit: PAGE, offset }), asked({ reason: "", limit: 1 }), get("/api/v1/jobs", { limit: 1000 }, { signal })]);
    known = { letters, counts: any.reasons, jobs: jobs.items };
    redraw();
  }
  const redraw = () => known && draw(page(known, { filter, chosen, set, redraw, refresh: () => refresh().catch(fail) }));
  poll(3, refresh);
}

const idOf = (letter) => `${letter.app}/${letter.job}/${letter.id}`;

function page({ letters, counts, jobs }, state) {
  const { filter, chosen, set } = state;
  const apps = [...new Set(jobs.map((job) => job.app))];
  const names = [...new Set(jobs.filter((job) => !filter.app || job.app === filter.app).map((job) => job.name))];
  const reasons = [...new Set([...Object.keys(counts), filter.reason].filter(Boolean))];
  const all = (list, word) => [["", word], ...list.map((each) => [each, each])];
  return [
    h("h1", {}, "Dead letters"),
    h("div", { class: "row between" },
      h("div", { class: "row" },
        select("Application", filter.app, all(apps, "all"), (app) => set({ app, job: "" })), select("Job", filter.job, all(names, "all"), (job) => set({ job })),
        select("Reason", filter.reason, all(reasons, "all"), (reason) => set({ reason })),
        field("In record or error", h("input", { type: "search", value: filter.text, onchange: (event) => set({ text: event.target.value }) }))),
      h("div", { class: "row" },
        chosen.size ? h("button", { class: "primary", "data-act": "replay", onclick: () => replay([...chosen.values()], state) }, `Replay ${count(chosen.size)} chosen`) : null,
        letters.total ? h("button", { "data-act": "replay-all", onclick: () => replayAll(letters, jobs, state) }, `Replay all ${count(letters.total)}`) : null)),
    h("div", { class: "row reasons" }, Object.entries(counts).map(([reason, number]) => h("button", { onclick: () => set({ reason: filter.reason === reason ? "" : reason }), "aria-pressed": String(filter.reason === reason) }, badge(reason), count(number)))),
    letters.items.length ? list(letters, state) : empty("No dead letter matches.", "A record that no result can hold comes here, with the reason, and is never lost."),
  ];
}

function list(letters, state) {
  const toggle = (letter) => (event) => {
    if (event.target.checked) state.chosen.set(idOf(letter), letter);
    else state.chosen.delete(idOf(letter));
    state.redraw();
  };
  return h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
    heads(["", "#Written", "Job", "Reason", "Error", "From", "Record"]),
    h("tbody", {}, letters.items.map((letter) => h("tr", {
      "data-key": idOf(letter), "data-row": "", tabindex: "0", class: "opens",
      onclick: (event) => { if (!event.target.closest("input")) detail(letter, state); }, onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); detail(letter, state); } },
    },
    h("td", {}, h("input", { type: "checkbox", "aria-label": "Choose", disabled: Boolean(letter.replayed_at), checked: state.chosen.has(idOf(letter)), onchange: toggle(letter) })),
    h("td", { class: "number" }, moment(letter.written_at)), h("td", {}, letter.job), h("td", {}, badge(letter.reason), letter.replayed_at ? h("span", { class: "badge good", title: letter.replayed_at }, "replayed") : null), h("td", { class: "wide" }, letter.error || (letter.lateness_ms !== null ? `${span(letter.lateness_ms / 1000)} late` : "")),
    h("td", { class: "nowrap" }, h("code", {}, from(letter))), h("td", {}, h("code", { class: "brief" }, brief(letter.record ?? letter.row)))))))),
  letters.total > letters.items.length ? h("div", { class: "row pad" },
    h("button", { disabled: !letters.offset, onclick: () => state.set({ offset: Math.max(0, letters.offset - PAGE) }) }, "Newer"),
    h("span", { class: "quiet" }, `${count(letters.offset + 1)} to ${count(letters.offset + letters.items.length)} of ${count(letters.total)}`),
    h("button", { disabled: letters.offset + PAGE >= letters.total, onclick: () => state.set({ offset: letters.offset + PAGE }) }, "Older")) : null);
}

// Source, partition and offset; of a record that does not tell its partition, that is left open. A row that the job made
// of others, such as that of an inner window, comes from no source.
const from = (letter) => (!letter.source ? "–" : letter.offset === null || letter.offset === undefined ? [letter.source, letter.partition] : [letter.source, letter.partition ?? "?", letter.offset]).filter((each) => each !== null && each !== undefined).join("/");
const brief = (record) => { const text = typeof record === "string" ? record : JSON.stringify(record); return text?.length > 80 ? `${text.slice(0, 80)}…` : text; };

function detail(letter, state) {
  const { record, app, job, id, ...facts } = letter;
  const shown = Object.entries(facts).filter(([, value]) => value !== null && value !== "");
  open(`Dead letter of ${job}`, [
    letter.error ? h("div", { class: "banner bad" }, h("p", {}, letter.error)) : null,
    h("h3", {}, "Record"), h("pre", { class: "record" }, typeof record === "string" ? record : JSON.stringify(record, null, 2)),
    h("h3", {}, "About it"), h("dl", { class: "facts" }, h("dt", {}, "application"), h("dd", {}, app), h("dt", {}, "id"), h("dd", {}, h("code", {}, id)),
      shown.map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, name.endsWith("time") || name.endsWith("_at") || name === "watermark" ? moment(value) : h("code", {}, typeof value === "object" ? JSON.stringify(value) : String(value)))])),
    h("div", { class: "row end" }, h("button", { class: "primary", "data-act": "replay-one", disabled: Boolean(letter.replayed_at), onclick: () => { closeDialog(); replay([letter], state); } }, "Replay it")),
  ], { side: true });
}

async function send(app, job, body) {
  const answer = await post("/api/v1/dlq/replay", { app, job, ...body });
  const [first] = answer.passed_over;
  const left = first ? `; ${count(answer.passed_over.length)} cannot be: ${first.reason}` : "";
  toast(`${count(answer.replayed)} handed back to ${job}${left}`, answer.replayed ? "good" : "bad");
}

async function replay(letters, state) {
  const groups = Map.groupBy ? Map.groupBy(letters, (one) => JSON.stringify([one.app, one.job])) : grouped(letters);
  try {
    for (const [key, own] of groups) {
      const [app, job] = JSON.parse(key);
      await send(app, job, { ids: own.map((one) => one.id) });
    }
    state.chosen.clear();
  } catch (error) {
    toast(`${error.message}${error.hint ? ` – ${error.hint}` : ""}`, "bad");
  }
  state.refresh();
}

function grouped(letters) {
  const found = new Map();
  for (const one of letters) {
    const key = JSON.stringify([one.app, one.job]);
    found.set(key, [...(found.get(key) || []), one]);
  }
  return found;
}

async function replayAll(letters, jobs, state) {
  const { reason, source, text, ...filter } = state.filter;
  const which = reason || source || text ? { reason, source, text } : { all: true };
  const targets = jobs.filter((job) => job.dead_lettered && (!filter.app || job.app === filter.app) && (!filter.job || job.name === filter.job));
  if (!(await confirm("Replay all?", `${count(letters.total)} dead letters go through ${targets.length === 1 ? targets[0].name : `${targets.length} jobs`} once more.`, "Replay"))) return undefined;
  try {
    for (const job of targets) await send(job.app, job.name, which);
  } catch (error) {
    toast(`${error.message}${error.hint ? ` – ${error.hint}` : ""}`, "bad");
  }
  return state.refresh();
}
