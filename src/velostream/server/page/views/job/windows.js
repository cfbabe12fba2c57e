// What was written of each window, newest first, and the windows of one key.

import { get, jobPath } from "../../api.js";
import { bars } from "../../charts.js";
import { h } from "../../dom.js";
import { bytes, count, moment, short } from "../../format.js";
import { card, empty, heads, tile } from "../../parts.js";

const PAGE = 50;
const FRESH = 15_000;

// Which windows are looked up: of a key, and that begin within bounds (UTC, as all times of this page).
const asked = (query) => Object.fromEntries(["key", "from", "to"].map((name) => [name, query.get(name) || ""]));

export async function ask(app, name, signal, state) {
  const wanted = asked(state.query);
  const looked = Object.values(wanted).some(Boolean);
  const all = { ...wanted, closed: looked, limit: PAGE, offset: state.chosen.offset || 0 };
  const [said, { engine }] = await Promise.all([windows(jobPath(app, name, "/windows"), all, signal, looked ? state : {}), get(jobPath(app, name, "/metrics"), {}, { signal })]);
  return { ...said, newest: engine.emissions || [] };
}

// Windows that were put away are looked through less often than the page is drawn.
async function windows(path, wanted, signal, state) {
  const of = JSON.stringify(wanted);
  if (state.kept?.of === of && Date.now() - state.kept.at < FRESH) return state.kept.said;
  const said = await get(path, wanted, { signal });
  state.kept = { of, said, at: Date.now() };
  return said;
}

export function show(job, said, state) {
  const wanted = asked(state.query);
  const looked = Object.values(wanted).some(Boolean);
  const look = (event) => {
    event.preventDefault();
    const given = new URLSearchParams([...new FormData(event.target)].filter(([, value]) => value)).toString();
    state.go(`job/${encodeURIComponent(job.app)}/${encodeURIComponent(job.name)}/windows${given ? `?${given}` : ""}`);
  };
  const bound = (name, label) => h("label", { class: "row" }, h("span", { class: "quiet" }, label), h("input", { type: "datetime-local", step: "1", name, value: wanted[name], title: "in UTC", "aria-label": `${label}, in UTC` }));
  const sizes = said.window_event_count;
  return [
    h("div", { class: "tiles" },
      tile("Open now", count(said.open_windows)), tile("Kept for late records", count(said.windows_held_by_lateness)),
      tile("Created", count(said.windows_created_total)), tile("Completed", count(said.windows_completed_total)), tile("State", bytes(said.state_bytes))),
    h("form", { class: "row between", onsubmit: look }, h("h2", {}, wanted.key ? `Windows of ${wanted.key}` : "Windows, newest first"),
      h("div", { class: "row" }, h("input", { type: "search", name: "key", value: wanted.key, placeholder: "key, such as AAPL", "aria-label": "Key" }), bound("from", "Begins from"), bound("to", "to"), h("button", { type: "submit" }, "Look up"))),
    said.items.length ? list(said, state) : empty(looked ? "No such window was written." : "No window has been written yet.", "A window is written when the watermark passes its end, or earlier where EMIT says so."),
    said.closed_since ? h("p", { class: "quiet" }, `There are more closed windows than are looked through at once: those that begin before ${moment(said.closed_since)} are found with “to”.`) : null,
    looked ? null : newest(said.newest),
    sizes.count ? card("Records in a window", bars(sizes.counts.map((value, place) => ({ label: place < sizes.bounds.length ? `≤ ${short(sizes.bounds[place])}` : `> ${short(sizes.bounds.at(-1))}`, value })), short)) : null,
  ];
}

const KINDS = ["early", "final", "late", "change", "retract"];

// The newest windows over all keys: how many rows of each kind were written.
function newest(windows) {
  if (!windows.length) return null;
  const used = KINDS.filter((kind) => windows.some((one) => one[kind]));
  return card("Rows by window, over all keys", h("div", { class: "scroll" }, h("table", {}, heads(["#From", "#To", ...used.map((kind) => `#${kind}`), "#Revisions", ""]),
    h("tbody", {}, windows.slice(0, 20).map((one) => h("tr", { "data-key": `${one.stage}/${one.start}/${one.end}` }, h("td", { class: "number" }, moment(one.start)), h("td", { class: "number" }, moment(one.end)),
      used.map((kind) => h("td", { class: "number" }, count(one[kind]))), h("td", { class: "number" }, count(one.revision)),
      h("td", {}, h("div", { class: "strip thin" }, used.filter((kind) => one[kind]).map((kind) => h("i", { class: `k-${kind}`, title: `${kind}: ${one[kind]}`, style: { "flex-grow": String(one[kind]) } }))))))))));
}

function list(said, state) {
  const turn = (by) => () => { state.chosen.offset = Math.max(0, (state.chosen.offset || 0) + by); state.refresh().catch(state.fail); };
  return h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
    heads(["Key", "#From", "#To", ...(Object.keys(said.types).length ? ["Values"] : []), "#Written", ""]),
    h("tbody", {}, said.items.map((one) => h("tr", { "data-key": `${one.key}/${one.window_start}`, "data-row": "", tabindex: "0" },
      h("td", { class: "nowrap" }, h("code", {}, one.key)), h("td", { class: "number" }, moment(one.window_start)), h("td", { class: "number" }, moment(one.window_end)),
      Object.keys(said.types).length ? h("td", {}, values(one, said.types)) : null,
      h("td", { class: "number" }, `${one.emissions.length}×`),
      h("td", {}, h("div", { class: "timeline" }, one.emissions.map((each) => h("span", { class: "emit", title: each.batch === null ? each.at : `batch ${each.batch}, ${each.at}` },
        h("i", { class: `dot k-${each.emission}` }), each.emission, each.revision ? h("small", { class: "quiet" }, ` rev ${each.revision}`) : null, h("small", { class: "quiet" }, ` ${moment(each.at)}`)))))))))),
  said.total > PAGE ? h("div", { class: "row pad" }, h("button", { onclick: turn(-PAGE), disabled: !said.offset }, "Newer"), h("span", { class: "quiet" }, `${count(said.offset + 1)} to ${count(Math.min(said.total, said.offset + PAGE))} of ${count(said.total)}`), h("button", { onclick: turn(PAGE), disabled: said.offset + PAGE >= said.total }, "Older")) : null);
}

// The row of a closed window as it stands, without what the window is: its columns begin with the key and the bounds.
function values(one, types) {
  if (!one.values) return h("span", { class: "quiet" }, "–");
  const names = Object.keys(types);
  const shown = names.slice(names.indexOf("_window_end") + 1).filter((name) => !name.startsWith("_"));
  return shown.map((name) => h("span", { class: "nowrap" }, h("small", { class: "quiet" }, `${name} `), h("code", {}, typeof one.values[name] === "object" ? JSON.stringify(one.values[name]) : String(one.values[name])), " "));
}
