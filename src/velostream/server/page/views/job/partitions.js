// Who holds the watermark back: every partition with how far it is, the one that holds it first.

import { get, jobPath } from "../../api.js";
import { h } from "../../dom.js";
import { count, moment, short, span } from "../../format.js";
import { icon } from "../../icons.js";
import { empty, heads, holders as named, isHeld } from "../../parts.js";

const MOST = 500;

export async function ask(app, name, signal) {
  const [said, { engine }] = await Promise.all(["/partitions", "/metrics"].map((path) => get(jobPath(app, name, path), {}, { signal })));
  return { ...said, delivered: engine.delivered || {} };
}

export function show(job, { partitions, watermark, held_back_by: holders, delivered }) {
  if (!partitions.length) return empty("No partition has said anything yet.", job.stateful ? "The job has read no record so far." : "This job keeps no state and needs no watermark.");
  const newest = partitions.reduce((most, one) => (one.max_event_time && (!most || one.max_event_time > most) ? one.max_event_time : most), null);
  const behind = (one) => (one.max_event_time && newest ? Math.max(0, (new Date(newest) - new Date(one.max_event_time)) / 1000) : null);
  const most = Math.max(1, ...partitions.map((one) => behind(one) ?? 0));
  return [
    banner(job, partitions, watermark, holders, behind),
    h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
      heads(["Source", "Partition", "", "#Newest event", "#Behind the newest", "", "#Records", "#Records/s", "State"]),
      h("tbody", {}, partitions.slice(0, MOST).map((one) => line(one, behind(one), most, delivered[`${one.source}/${one.partition}`], one.holds_watermark && isHeld(job))))))),
    partitions.length > MOST ? h("p", { class: "quiet" }, `and ${count(partitions.length - MOST)} more`) : null,
  ];
}

function banner(job, partitions, watermark, holders, behind) {
  const first = partitions.find((one) => one.holds_watermark);
  if (!first || !isHeld(job)) {
    return h("div", { class: "banner good" }, icon("good"), h("div", {}, h("p", { class: "big" }, watermark ? `The watermark keeps up: ${span(job.watermark_lag_seconds ?? 0)} behind the newest event.` : "There is no watermark yet."),
      h("p", {}, watermark ? `It stands at ${moment(watermark)}${first && holders.length < partitions.length ? `; slowest is ${holders.slice(0, 3).join(", ")}` : ""}.` : "It comes with the first record.")));
  }
  const waiting = partitions.filter((one) => one.idle).length;
  const stands = watermark ? `The watermark is at ${moment(watermark)}, ${span(job.watermark_lag_seconds ?? 0)} behind the newest event.` : "There is no watermark, so no window can close.";
  const why = job.held_by_silence ? `They are known, and have delivered nothing while others have.${holders.some((one) => one.includes("/?")) ? " Of those with a ? only the count is known so far." : ""}` : `The newest event of ${first.source}/${first.partition} is from ${moment(first.max_event_time)}, ${span(behind(first))} behind.`;
  return h("div", { class: "banner" }, icon("warn"), h("div", {},
    h("p", { class: "big" }, "Held back by ", h("code", { "data-holder": "" }, named(job, 5))),
    h("p", {}, `${stands} ${why}`),
    h("p", { class: "quiet" }, `If nothing comes there any more, 'watermark.idle_timeout' lets the others go on without it${waiting ? ` (${waiting} partition${waiting === 1 ? " is" : "s are"} idle already)` : ""}. If it is only slow, its producer is what to look at.`)));
}

function line(one, behind, most, got, holds) {
  return h("tr", { "data-key": `${one.source}/${one.partition}`, class: holds ? "holds" : "", "data-row": "", tabindex: "0" },
    h("td", {}, one.source), h("td", {}, h("code", {}, one.partition)), h("td", {}, holds ? h("span", { class: "badge warn" }, "holds the watermark") : null),
    h("td", { class: "number" }, moment(one.max_event_time)), h("td", { class: "number" }, span(behind)),
    h("td", {}, h("div", { class: holds ? "meter warn" : "meter" }, h("i", { style: { width: `${behind === null ? 0 : Math.max(1, (behind / most) * 100)}%` } }))),
    h("td", { class: "number" }, got ? count(got.records) : "–"), h("td", { class: "number" }, got ? short(got.rate) : "–"),
    h("td", {}, h("span", { class: `badge ${one.idle ? "calm" : "good"}` }, one.idle ? "idle" : "active")));
}
