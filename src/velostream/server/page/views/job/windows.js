// What was written of each window, newest first, and the windows of one key.

import { get, jobPath } from "../../api.js";
import { bars } from "../../charts.js";
import { h } from "../../dom.js";
import { bytes, count, moment, short } from "../../format.js";
import { card, empty, heads, tile } from "../../parts.js";

const PAGE = 50;

export async function ask(app, name, signal, state) {
  const wanted = { key: state.query.get("key") || "", limit: PAGE, offset: state.chosen.offset || 0 };
  const [said, { engine }] = await Promise.all([get(jobPath(app, name, "/windows"), wanted, { signal }), get(jobPath(app, name, "/metrics"), {}, { signal })]);
  return { ...said, newest: engine.emissions || [] };
}

export function show(job, said, state) {
  const key = state.query.get("key") || "";
  const look = (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).get("key");
    state.go(`job/${encodeURIComponent(job.app)}/${encodeURIComponent(job.name)}/windows${wanted ? `?key=${encodeURIComponent(wanted)}` : ""}`);
  };
  const sizes = said.window_event_count;
  return [
    h("div", { class: "tiles" },
      tile("Open now", count(said.open_windows)), tile("Kept for late records", count(said.windows_held_by_lateness)),
      tile("Created", count(said.windows_created_total)), tile("Completed", count(said.windows_completed_total)), tile("State", bytes(said.state_bytes))),
    h("form", { class: "row between", onsubmit: look }, h("h2", {}, key ? `Windows of ${key}` : "Windows, newest first"),
      h("div", { class: "row" }, h("input", { type: "search", name: "key", value: key, placeholder: "key, such as AAPL", "aria-label": "Key" }), h("button", { type: "submit" }, "Look up"))),
    said.items.length ? list(said, state) : empty(key ? `No window of '${key}' was written.` : "No window has been written yet.", "A window is written when the watermark passes its end, or earlier where EMIT says so."),
    key ? null : newest(said.newest),
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
    heads(["Key", "#From", "#To", "#Written", ""]),
    h("tbody", {}, said.items.map((one) => h("tr", { "data-key": `${one.key}/${one.window_start}`, "data-row": "", tabindex: "0" },
      h("td", { class: "nowrap" }, h("code", {}, one.key)), h("td", { class: "number" }, moment(one.window_start)), h("td", { class: "number" }, moment(one.window_end)),
      h("td", { class: "number" }, `${one.emissions.length}×`),
      h("td", {}, h("div", { class: "timeline" }, one.emissions.map((each) => h("span", { class: "emit", title: `batch ${each.batch}, ${each.at}` },
        h("i", { class: `dot k-${each.emission}` }), each.emission, each.revision ? h("small", { class: "quiet" }, ` rev ${each.revision}`) : null, h("small", { class: "quiet" }, ` ${moment(each.at)}`)))))))))),
  said.total > PAGE ? h("div", { class: "row pad" }, h("button", { onclick: turn(-PAGE), disabled: !said.offset }, "Newer"), h("span", { class: "quiet" }, `${count(said.offset + 1)} to ${count(Math.min(said.total, said.offset + PAGE))} of ${count(said.total)}`), h("button", { onclick: turn(PAGE), disabled: said.offset + PAGE >= said.total }, "Older")) : null);
}
