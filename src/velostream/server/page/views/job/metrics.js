// The metrics of a job: those of its SQL, and the engine's by what they are about, each with what it tells.

import { get, jobPath } from "../../api.js";
import { h } from "../../dom.js";
import { bytes, count } from "../../format.js";
import { card, empty, heads } from "../../parts.js";

export const ask = (app, name, signal) => get(jobPath(app, name, "/metrics"), {}, { signal });

const MOST = 200;
const shown = (value) => (typeof value === "number" ? count(Math.round(value * 1e6) / 1e6) : value === null ? "–" : String(value));

export function show(job, { user, groups }) {
  return [
    user.length ? user.map(own) : empty("This job has no metrics of its own.", "-- @metric: name before a statement makes one."),
    groups.length ? groups.map(group) : empty("The engine has no figures of this job yet.", "They come with its first micro-batch."),
  ];
}

function own(metric) {
  const value = (one) => (metric.kind === "histogram" ? `${count(one.counts.reduce((a, b) => a + b, 0))} values, sum ${shown(one.sum)}` : shown(one.value));
  return card(h("span", {}, metric.name, " ", h("span", { class: "badge" }, metric.kind)), metric.help ? h("p", { class: "quiet" }, metric.help) : null,
    h("div", { class: "scroll" }, h("table", {}, heads([...metric.labels, "#value"]),
      h("tbody", {}, metric.series.slice(0, MOST).map((one) => h("tr", {}, one.labels.map((label) => h("td", {}, h("code", {}, label))), h("td", { class: "number" }, value(one))))))),
    more(metric.series));
}

const more = (series) => (series.length > MOST ? h("p", { class: "quiet" }, `and ${count(series.length - MOST)} more, at /metrics`) : null);

function group({ group: about, metrics }) {
  const title = about === "metrics" ? "Left out by metrics" : about[0].toUpperCase() + about.slice(1);
  return h("div", { "data-group": about }, card(title, h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, metrics.map(lines))))));
}

// The names of Prometheus end in the unit.
function unit(name) {
  if (name.endsWith("_timestamp_seconds")) return (value) => new Date(value * 1000).toISOString();
  return name.includes("_bytes") ? bytes : shown;
}

// A metric of several series says once what it tells.
function lines(metric) {
  const said = unit(metric.name);
  const value = (one) => (one.count === null ? said(one.value) : `${count(one.count)} values, sum ${said(one.value)}`);
  return metric.samples.slice(0, MOST).map((one, place) => h("tr", {},
    h("td", {}, place ? null : [h("div", {}, metric.help), h("code", { class: "quiet" }, metric.name)]),
    h("td", {}, Object.values(one.labels).map((label) => [h("code", {}, label), " "])),
    h("td", { class: "number" }, value(one)))).concat(metric.samples.length > MOST ? [h("tr", {}, h("td", { colspan: "3" }, more(metric.samples)))] : []);
}
