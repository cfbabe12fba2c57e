// How a job runs, as a picture: a box for each step, with what went through it and what it takes.

import { get, jobPath } from "../../api.js";
import { h } from "../../dom.js";
import { count, micros, some, span } from "../../format.js";
import { at, curve, placed, sheet } from "../../graph.js";
import { card, heads } from "../../parts.js";

const WIDTH = 222;
const PARTS = { compute: "reading, routing, windows", rows: "result rows", accounts: "accounts", metrics: "metrics" };

export async function ask(app, name, signal, state) {
  state.plan ||= await get(jobPath(app, name, "/plan"), {}, { signal });
  return get(jobPath(app, name, "/metrics"), {}, { signal });
}

export function show(job, { engine }, state) {
  const { nodes, edges } = boxes(state.plan.plan.plan, job, engine);
  const { places, width, height } = placed(nodes, edges);
  const curves = edges.map(({ from, to }) => {
    const [a, b] = [places.get(from), places.get(to)];
    return curve(a.x + a.width, a.y + a.height / 2, b.x, b.y + b.height / 2);
  });
  return [sheet(width, height, curves, nodes.map((node) => box(node, places.get(node.id))), "Plan"), stages(engine.timing, engine.pressure),
    h("details", { class: "card" }, h("summary", {}, "as velo explain shows it"), h("pre", {}, state.plan.text))];
}

function box(node, place) {
  return h("div", { class: `node ${node.kind}`, style: at(place), title: node.lines.join("\n"), "data-key": node.id },
    h("div", { class: "title" }, node.title, h("small", {}, node.small || "")),
    h("div", { class: "lines" }, node.lines.map((line) => h("div", {}, line))),
    node.figures.length ? h("div", { class: "figures" }, node.figures.map((line) => h("div", {}, line))) : null);
}

// The nodes of the tree, leaves first, and the way that rows go.
function boxes(root, job, engine) {
  const nodes = [];
  const edges = [];
  let stateful = 0;
  function add(node, path) {
    const inputs = (node.inputs || []).map((child, place) => add(child, `${path}.${place}`));
    const parts = node.node === "Sinks" ? node.sinks.map((sink) => sinkBox(sink, engine)) : [described(node, job, engine)];
    if (node.buckets_by) stateful += 1;
    if (node.buckets_by) measured(parts[0], engine.stages?.find((one) => one.stage === stateful));
    parts.forEach((part, place) => {
      const id = `${path}/${place}`;
      nodes.push({ id, width: WIDTH, height: 33 + 12 + 18 * part.lines.length + (part.figures.length ? 12 + 18 * part.figures.length : 0), ...part });
      for (const from of inputs) edges.push({ from, to: id });
    });
    return `${path}/0`;
  }
  add(root, "0");
  return { nodes, edges };
}

const sum = (counts) => Object.values(counts || {}).reduce((total, one) => total + one, 0);
const more = (list, most = 3) => (list.length > most ? [...list.slice(0, most), `and ${list.length - most} more`] : list);
const took = (spent) => (spent ? `${span(spent.seconds)} in ${some(spent.batches, "batch", "batches")}` : "");

function sinkBox(sink, engine) {
  const spent = engine.timing?.stages?.[`sink ${sink.name}`];
  return { kind: "sink", title: sink.name, small: sink.connector, lines: [`${sink.writes}, ${sink.guarantee}`, ...Object.values(sink.place || {}).map(String).slice(0, 1)],
    figures: spent ? [`${count(spent.rows)} rows written`, took(spent)] : [] };
}

const DESCRIBED = {
  Scan: (node, job) => ({ kind: "source", title: node.source, small: node.connector,
    lines: [`event time ${node.event_time.column || "of the record"}`, `watermark −${micros(node.watermark.max_out_of_orderness)}${node.watermark.idle_timeout ? `, idle after ${micros(node.watermark.idle_timeout)}` : ""}`],
    figures: job.sources.length === 1 ? [`${count(job.records.read)} read`] : partitionsOf(job, node.source) }),
  TableScan: (node) => ({ kind: "table", title: node.table, small: "table", lines: [`key ${node.key.join(", ") || "–"}`], figures: [] }),
  Filter: (node, job) => ({ title: "Filter", small: node.origin, lines: [node.condition], figures: node.origin === "where" && job.records.filtered ? [`${count(job.records.filtered)} filtered out`] : [] }),
  Project: (node) => ({ title: "Project", lines: more(node.columns.filter((one) => !one.system).map((one) => (one.name === one.expression.split(".").pop() ? one.name : `${one.name} = ${one.expression}`))), figures: [] }),
  JoinTable: (node, job) => {
    const joined = node.inputs?.[1]?.table && job.joins[node.inputs[1].table];
    return { kind: "state", title: `${node.kind} join`, small: node.classification, lines: node.keys.map((pair) => `${pair.left} = ${pair.right}`), figures: joined ? [`${count(joined.matched)} found, ${count(joined.missing)} not`] : [] };
  },
  JoinStreams: (node) => ({ kind: "state", title: `${node.kind} join`, small: "stream-stream", lines: [...node.keys.map((pair) => `${pair.left} = ${pair.right}`), node.bounds ? `${micros(node.bounds.lower)} … ${micros(node.bounds.upper)} apart` : ""].filter(Boolean), figures: [] }),
  Deduplicate: (node, job) => ({ kind: "state", title: "Deduplicate", lines: [`by ${node.keys.join(", ")}`], figures: [`${count(job.records.duplicates)} duplicates`] }),
  Aggregate: (node, job) => ({ kind: "state", title: node.window ? `${node.window.kind} ${micros(node.window.size ?? node.window.gap)}` : "Group", small: `EMIT ${node.emission.mode}`,
    lines: [`by ${node.keys.map((key) => key.name).join(", ") || "nothing: one group"}`, ...more(node.aggregates.map((call) => `${call.function}(${call.arguments.join(", ") || "*"})`), 2), node.window ? `lateness ${micros(node.lateness.allowed)}` : ""].filter(Boolean),
    figures: [`${count(job.open_windows)} open, ${count(job.open_records)} records`, `${count(sum(job.emitted))} rows out`, job.late_events ? `${count(job.late_events)} late` : ""].filter(Boolean) }),
  Materialise: (node, job, engine) => ({ kind: "table", title: node.table, small: "makes a table", lines: [`key ${node.key.join(", ")}`], figures: took(engine.timing?.stages?.[`sink ${node.table}`]) ? [took(engine.timing.stages[`sink ${node.table}`])] : [] }),
  Print: () => ({ kind: "sink", title: "Print", lines: ["to the output of its process"], figures: [] }),
};

function described(node, job, engine) {
  const known = DESCRIBED[node.node]?.(node, job, engine);
  return { kind: "step", small: "", figures: [], lines: [], title: node.node, ...known };
}

// What a stateful step took and gave, and whether few keys have most of the work.
function measured(part, stage) {
  if (!stage) return;
  part.figures = [`${count(stage.records)} in, ${count(stage.rows)} out`, `${span(stage.seconds)}, last batch ${span(stage.last_seconds)}`, ...part.figures.filter((line) => !line.endsWith("rows out"))];
  if (stage.skew > 2) part.figures.push(`fullest bucket ${stage.skew}× the mean`);
}

function partitionsOf(job, source) {
  const own = Object.keys(job.windows.watermark_lag_seconds || {}).filter((name) => name.startsWith(`${source}/`));
  return own.length ? [`${own.length} partition${own.length === 1 ? "" : "s"}`] : [];
}

function stages(timing, pressure) {
  const list = Object.entries(timing?.stages || {}).sort((a, b) => b[1].seconds - a[1].seconds);
  if (!list.length) return null;
  const all = list.reduce((total, [, one]) => total + one.seconds, 0) || 1;
  const busy = pressure ? `${pressure.state}, ${Math.round(pressure.busy * 100)} % of the last minute at work${pressure.cause ? `, most of it ${pressure.cause}` : ""}` : "";
  const ended = timing.batches ? `${some(timing.batches, "batch", "batches")} since the start; half took up to ${span(timing.p50)}, 95 of 100 up to ${span(timing.p95)}.` : "No batch has ended since the start.";
  const running = (timing.running_seconds ?? 0) > 1 ? ` One has run for ${span(timing.running_seconds)}.` : "";
  return card("Time by stage", h("p", { class: "quiet" }, `${ended}${running} ${busy}`),
    h("div", { class: "scroll" }, h("table", {}, heads(["Stage", "#Seconds", "#Share", "", "#Rows", "#Last batch"]),
      h("tbody", {}, list.map(([name, one]) => h("tr", {}, h("td", {}, PARTS[name] || name), h("td", { class: "number" }, one.seconds.toFixed(2)), h("td", { class: "number" }, `${Math.round((one.seconds / all) * 100)} %`),
        h("td", {}, h("div", { class: "meter" }, h("i", { style: { width: `${(one.seconds / all) * 100}%` } }))), h("td", { class: "number" }, one.rows ? count(one.rows) : "–"), h("td", { class: "number" }, span(one.last_seconds))))))));
}
