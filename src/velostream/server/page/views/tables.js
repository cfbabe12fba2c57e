// Tables: how far they are loaded, live, and a row by its key.

import { follow, get } from "../api.js";
import { h } from "../dom.js";
import { bytes, count, rate, span } from "../format.js";
import { open } from "../overlays.js";
import { badge, empty, field, heads, problemBox, tile } from "../parts.js";

export function view({ draw, poll, signal, fail }) {
  const tables = new Map();
  let summary = null;
  let wanted = "";
  const redraw = () => summary && draw(page([...tables.values()], summary, wanted, (text) => { wanted = text; redraw(); }));
  function take(list, numbers) {
    tables.clear();
    for (const table of list) tables.set(`${table.app}/${table.name}`, table);
    summary = numbers;
    redraw();
  }
  // Events say at once what changes; a look every few seconds says what is no longer there.
  follow("/health/progress/stream", (kind, said) => {
    if (kind === "InitialSnapshot") take(said.tables, said.summary);
    else if (kind === "SummaryUpdate") summary = said;
    else if (said?.name) tables.set(`${said.app}/${said.name}`, said);
    redraw();
  }, signal).catch(fail);
  poll(5, async () => {
    const found = await get("/health/progress", {}, { signal });
    take(found.tables, found.summary);
  });
}

function page(tables, summary, wanted, search) {
  if (!tables.length) return [h("h1", {}, "Tables"), empty("No application has a table.", "CREATE TABLE declares one, CREATE TABLE … AS SELECT makes one.")];
  const shown = tables.filter((table) => `${table.app}.${table.name}`.toLowerCase().includes(wanted.toLowerCase())).sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  return [
    h("h1", {}, "Tables"),
    h("div", { class: "tiles" },
      tile("Ready", `${summary.ready} of ${summary.tables}`, { note: summary.stopped ? `${summary.stopped} stopped` : "" }), tile("Loading", count(summary.loading), { tone: summary.loading ? "warn" : "" }),
      tile("Waiting", count(summary.waiting), { tone: summary.waiting ? "warn" : "" }), tile("Failed", count(summary.failed), { tone: summary.failed ? "bad" : "" }),
      tile("Rows", count(summary.rows), { note: summary.percent === null ? "" : `${summary.percent} % loaded` })),
    h("div", { class: "row between" }, h("h2", {}, "All tables"), h("input", { type: "search", placeholder: "filter  ( / )", "aria-label": "Filter tables", oninput: (event) => search(event.target.value) })),
    h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
      heads(["Table", "Application", "State", "Progress", "#", "#Rows", "#Rate", "#Left", "#Refreshed", ""]),
      h("tbody", {}, shown.map(line))))),
  ];
}

const rank = (table) => ["failed", "loading", "waiting", "refreshing", "ready", "stopped"].indexOf(table.state);

function line(table) {
  const done = ["ready", "refreshing", "stopped"].includes(table.state);
  const part = done ? 100 : table.percent;
  return h("tr", { "data-key": `${table.app}/${table.name}`, "data-row": "", tabindex: "0", class: table.state === "failed" ? "failed" : "" },
    h("td", {}, h("b", {}, table.name), table.error ? h("div", { class: "error" }, table.error) : null), h("td", {}, table.app), h("td", {}, badge(table.state)),
    h("td", {}, h("div", { class: `meter ${done ? "done" : table.state === "failed" ? "bad" : ""}`, role: "progressbar", "aria-valuenow": String(part ?? 0), "aria-label": `${table.name} loaded` }, h("i", { style: { width: `${part ?? 0}%` } }))),
    h("td", { class: "number" }, part === null ? bytes(table.bytes) : `${Math.round(part)} %`),
    h("td", { class: "number" }, count(table.rows || table.read)), h("td", { class: "number" }, done ? "–" : rate(table.rate)),
    h("td", { class: "number" }, done ? "–" : table.eta_seconds === null ? "not known" : span(table.eta_seconds)),
    h("td", { class: "number" }, table.refreshes ? `${count(table.refreshes)}×` : "–"),
    h("td", {}, done ? h("button", { onclick: () => look(table) }, "Look up") : null));
}

function look(table) {
  const answer = h("div", {});
  async function ask(event) {
    event.preventDefault();
    const key = new FormData(event.target).get("key");
    try {
      const found = await get(`/api/v1/tables/${encodeURIComponent(table.name)}/rows/${encodeURIComponent(key)}`, { app: table.app });
      answer.replaceChildren(h("p", { class: "quiet" }, `version ${found.version} of ${found.table}`), h("dl", { class: "facts" }, Object.entries(found.row).map(([name, value]) => [h("dt", {}, name), h("dd", {}, h("code", {}, value === null ? "NULL" : typeof value === "object" ? JSON.stringify(value) : String(value)))])));
    } catch (error) {
      answer.replaceChildren(problemBox(error, "No row"));
    }
  }
  const form = h("form", { class: "row", onsubmit: ask }, field("Key (the parts of a compound key joined with |)", h("input", { name: "key", required: true })), h("button", { class: "primary", type: "submit" }, "Look up"));
  open(`A row of ${table.name}`, [form, answer], { side: true }).querySelector("input").focus();
}
