// A job in figures: rate, lag and state over time, where every record went, what its batches take.

import { lineChart, niceBytes, niceTime, whole } from "../../charts.js";
import { h } from "../../dom.js";
import { bytes, count, moment, rate, short, span } from "../../format.js";
import { series } from "../../live.js";
import { card, holders, isHeld, jobLink, tile } from "../../parts.js";

const sum = (counts) => Object.values(counts || {}).reduce((total, one) => total + one, 0);

export function show(job) {
  const held = isHeld(job);
  return [
    job.reason ? h("div", { class: "banner bad", role: "alert" }, h("div", {}, h("p", { class: "big" }, job.reason), job.hint ? h("p", {}, h("b", {}, "hint: "), job.hint) : null)) : null,
    h("div", { class: "tiles" },
      tile("Records a second", rate(job.rate), { note: `${short(job.read)} read` }),
      tile("Watermark", job.watermark ? job.watermark.slice(11, 19) : "–", { note: job.watermark ? `${job.watermark.slice(0, 10)}, ${span(job.watermark_lag_seconds)} behind` : "none yet", href: jobLink(job, "partitions") }),
      tile("Held back by", held ? holders(job) : "–", { note: !held ? (job.watermark ? "the watermark keeps up" : "there is no watermark yet") : job.held_by_silence ? "it has delivered nothing" : `${span(job.held_back_seconds)} behind the newest event`, tone: held ? "warn" : "", href: jobLink(job, "partitions") }),
      tile("Open windows", count(job.open_windows), { note: `${count(job.open_records)} records in them`, href: jobLink(job, "windows") }),
      tile("State", bytes(job.state_bytes), { note: `largest ${bytes(job.windows.state_bytes_largest ?? 0)}` }),
      tile("Late", count(job.late_events), { tone: job.late_events ? "warn" : "", href: jobLink(job, "lateness") })),
    h("div", { class: "grid three" },
      lineChart({ title: "Records a second", series: [{ name: "", points: series(job, "rate") }], format: rate }),
      lineChart({ title: "Watermark lag", series: [{ name: "", colour: 1, points: series(job, "lag") }], format: span, round: niceTime, empty: "no watermark yet" }),
      lineChart({ title: "State", series: [{ name: "", colour: 2, points: series(job, "state") }], format: bytes, round: niceBytes })),
    h("div", { class: "grid two top" }, h("div", {}, records(job), ends(job)), batches(job)),
  ];
}

function records(job) {
  const said = job.records;
  const parts = [
    { label: "in results", value: said.in_results || 0, kind: "result" }, { label: "open", value: said.open || 0, kind: "open" },
    { label: "filtered", value: said.filtered || 0, kind: "filtered" }, { label: "duplicates", value: said.duplicates || 0, kind: "duplicate" },
    { label: "unmatched", value: said.unmatched || 0, kind: "unmatched" }, { label: "dropped", value: sum(said.dropped), kind: "dropped" },
    { label: "dead letters", value: sum(said.dead_lettered), kind: "dead" },
  ];
  const emitted = Object.entries(job.emitted).filter(([, value]) => value);
  const reasons = Object.entries(said.dead_lettered || {});
  return card("Where every record went", h("p", { class: "quiet" }, `${count(said.read || 0)} read${said.expanded ? `, ${count(said.expanded)} more rows made of them` : ""}; each is in exactly one class`),
    whole(parts, count),
    reasons.length ? h("p", { class: "quiet" }, "dead letters: ", reasons.map(([reason, value], place) => [place ? " · " : "", h("a", { href: `#/letters?app=${encodeURIComponent(job.app)}&job=${encodeURIComponent(job.name)}&reason=${encodeURIComponent(reason)}` }, `${reason} ${count(value)}`)])) : null,
    emitted.length ? h("div", {}, h("p", { class: "quiet" }, "Rows written"), whole(emitted.map(([kind, value]) => ({ label: kind, value, kind })), count)) : null);
}

function batches(job) {
  const said = job.progress;
  if (!said) return card("Micro-batches", h("p", { class: "quiet" }, "none since it started"));
  const taken = Object.entries(said.durationMs || {}).filter(([name, value]) => name !== "triggerExecution" && value).sort((a, b) => b[1] - a[1]);
  const all = said.durationMs?.triggerExecution || 1;
  return card(`Micro-batch ${count(said.batchId)}`, h("p", { class: "quiet" }, `${count(said.numInputRows)} rows in ${span(all / 1000)}, at ${moment(said.timestamp)}`),
    h("table", {}, h("tbody", {}, taken.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", { class: "number" }, `${count(value)} ms`),
      h("td", {}, h("div", { class: "meter" }, h("i", { style: { width: `${Math.min(100, (value / all) * 100)}%` } }))))))));
}

function ends(job) {
  const line = (kind) => (one) => h("tr", {}, h("td", { class: "quiet" }, kind), h("td", {}, one.name), h("td", {}, one.type), h("td", { class: "wide" }, h("code", {}, one.address)));
  const joins = Object.entries(job.joins);
  return card("Reads and writes", h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, job.sources.map(line("source")), job.sinks.map(line("sink")),
    job.tables.map((name) => h("tr", {}, h("td", { class: "quiet" }, "table"), h("td", {}, h("a", { href: "#/tables" }, name)), h("td", {}), h("td", {}))),
    job.makes ? h("tr", {}, h("td", { class: "quiet" }, "makes"), h("td", {}, h("a", { href: "#/tables" }, job.makes)), h("td", {}), h("td", {})) : null))),
  joins.length ? h("p", { class: "quiet" }, joins.map(([table, said]) => `${table}: ${count(said.matched)} found, ${count(said.missing)} not. `)) : null);
}
