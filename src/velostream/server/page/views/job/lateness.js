// How late records come, and how many another lateness would have lost.

import { get, jobPath } from "../../api.js";
import { bars } from "../../charts.js";
import { h } from "../../dom.js";
import { count, micros, percent, short, span } from "../../format.js";
import { card, empty, heads, tile } from "../../parts.js";

export async function ask(app, name, signal, state) {
  state.plan ||= await get(jobPath(app, name, "/plan"), {}, { signal });
  return get(jobPath(app, name, "/windows"), { limit: 1 }, { signal });
}

// The `allowed.lateness` of a plan, in microseconds; null where nothing waits for late records.
export function allowed(node) {
  if (node.lateness?.allowed !== undefined && node.lateness !== null) return node.lateness.allowed;
  return (node.inputs || []).map(allowed).find((each) => each !== null) ?? null;
}

export function show(job, windows, state) {
  const { bounds, counts, count: all } = windows.lateness_seconds;
  const set = allowed(state.plan.plan.plan);
  const tiles = h("div", { class: "tiles" },
    tile("Late records", count(windows.late_events_total), { note: percent(windows.late_events_total, job.read) + " of all" }),
    tile("Too late", count(windows.dropped_after_lateness), { tone: windows.dropped_after_lateness ? "bad" : "", note: "came when their windows were gone" }),
    tile("Allowed lateness", set === null ? "–" : micros(set), { note: "allowed.lateness" }),
    tile("Kept open for late ones", count(windows.windows_held_by_lateness), { note: "windows" }));
  if (!all) return [tiles, empty("No record has come late.", "A record is late when its event time is below the watermark as its batch begins.")];
  const start = closest(bounds, set === null ? 0 : set / 1e6);
  const last = Math.max(start, bounds.findIndex((_, place) => counts.slice(place + 1).every((one) => !one)), 1);
  const chosen = state.chosen.bound ?? start;
  const beyond = counts.slice(chosen + 1).reduce((total, one) => total + one, 0);
  const list = counts.map((value, place) => ({
    label: place < bounds.length ? `≤ ${span(bounds[place])}` : `> ${span(bounds.at(-1))}`, value, mark: place > chosen,
  }));
  return [
    tiles,
    card("How late the late records came", bars(list, short), h("p", { class: "quiet" }, "Behind the watermark as their batch began. Red: later than the lateness chosen below.")),
    card("What if the allowed lateness were …",
      h("div", { class: "row" }, h("b", { class: "chosen" }, span(bounds[chosen])), h("span", {}, "?")),
      h("input", { type: "range", min: "0", max: String(last), value: String(chosen), "aria-label": "Allowed lateness", "aria-valuetext": span(bounds[chosen]), oninput: (event) => { state.chosen.bound = Number(event.target.value); state.redraw(); } }),
      h("p", { class: "verdict" }, beyond ? ["At most ", h("b", { class: "bad" }, count(beyond)), ` of ${count(all)} late records (${percent(beyond, all)}) would have been too late.`] : [h("b", {}, "None"), ` of the ${count(all)} late records would have been too late.`]),
      h("p", { class: "quiet" }, "Records up to this late are never lost; later ones are, once their window has ended this long ago. Windows stay in state for so much longer."),
      h("div", { class: "scroll" }, table(bounds, counts, all, set))),
  ];
}

function closest(bounds, value) {
  const found = bounds.findIndex((bound) => bound >= value);
  return found === -1 ? bounds.length - 1 : found;
}

function table(bounds, counts, all, set) {
  return h("table", {}, heads(["#Lateness", "#Could be too late", "#Share", ""]),
    h("tbody", {}, bounds.map((bound, place) => {
      const beyond = counts.slice(place + 1).reduce((total, one) => total + one, 0);
      return h("tr", {}, h("td", { class: "number" }, span(bound)), h("td", { class: "number" }, count(beyond)), h("td", { class: "number" }, percent(beyond, all)),
        h("td", { class: "quiet" }, set !== null && bound * 1e6 >= set && (place === 0 || bounds[place - 1] * 1e6 < set) ? "← as it is set" : beyond ? "" : "no loss"));
    })));
}
