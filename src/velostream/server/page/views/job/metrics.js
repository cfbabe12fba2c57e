// The metrics of a job: those of its SQL, and the engine's.

import { get, jobPath } from "../../api.js";
import { h } from "../../dom.js";
import { count } from "../../format.js";
import { card, empty, heads } from "../../parts.js";

export const ask = (app, name, signal) => get(jobPath(app, name, "/metrics"), {}, { signal });

const shown = (value) => (typeof value === "number" ? count(Math.round(value * 1e6) / 1e6) : value === null ? "–" : String(value));

export function show(job, { user, engine }) {
  return [
    user.length ? user.map(own) : empty("This job has no metrics of its own.", "-- @metric: name before a statement makes one."),
    card("Engine", h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, flat(engine).filter(([name]) => name !== "taken" && !name.startsWith("delivered.")).map(([name, value]) => h("tr", {}, h("td", {}, h("code", {}, name)), h("td", { class: "number" }, shown(value)))))))),
  ];
}

function own(metric) {
  const value = (one) => (metric.kind === "histogram" ? `${count(one.counts.reduce((a, b) => a + b, 0))} values, sum ${shown(one.sum)}` : shown(one.value));
  return card(h("span", {}, metric.name, " ", h("span", { class: "badge" }, metric.kind)), metric.help ? h("p", { class: "quiet" }, metric.help) : null,
    h("div", { class: "scroll" }, h("table", {}, heads([...metric.labels, "#value"]),
      h("tbody", {}, metric.series.slice(0, 200).map((one) => h("tr", {}, one.labels.map((label) => h("td", {}, h("code", {}, label))), h("td", { class: "number" }, value(one))))))));
}

// Figures inside figures, under names with dots.
function flat(data, before = "") {
  return Object.entries(data || {}).flatMap(([name, value]) => {
    if (value === null || typeof value !== "object") return [[before + name, value]];
    return Array.isArray(value) ? [] : flat(value, `${before}${name}.`);
  });
}
