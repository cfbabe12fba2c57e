// One job: what it does now, how it runs, and why a result is not there.

import { get, jobPath } from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { recall, remember } from "../live.js";
import { badge, isHeld, jobLink, jobName, verbs } from "../parts.js";
import * as lateness from "./job/lateness.js";
import * as logs from "./job/logs.js";
import * as metrics from "./job/metrics.js";
import * as partitions from "./job/partitions.js";
import * as plan from "./job/plan.js";
import * as summary from "./job/summary.js";
import * as versions from "./job/versions.js";
import * as windows from "./job/windows.js";

const TABS = [
  ["", "Summary", summary], ["plan", "Plan", plan], ["partitions", "Partitions", partitions], ["lateness", "Lateness", lateness],
  ["windows", "Windows", windows], ["metrics", "Metrics", metrics], ["logs", "Logs", logs], ["versions", "Versions", versions],
];

export function view({ rest, query, draw, poll, signal, go, fail }) {
  const [app, name, tab = ""] = rest;
  const part = (TABS.find(([path]) => path === tab) || TABS[0])[2];
  const state = { query, go, redraw, refresh, signal, fail, chosen: {} };
  async function refresh() {
    const [job, more] = await Promise.all([get(jobPath(app, name), {}, { signal }), part.ask?.(app, name, signal, state) ?? {}, recall(signal)]);
    remember([job]);
    Object.assign(state, { job, more });
    redraw();
  }
  function redraw() {
    if (state.job) draw(head(state.job, refresh), tabs(state.job, tab), h("div", { role: "tabpanel", "data-key": tab || "summary" }, part.show(state.job, state.more, state)));
  }
  poll(part.EVERY || 2, refresh);
}

function head(job, refresh) {
  return h("div", { class: "row between" },
    h("div", { class: "row" }, h("a", { href: `#/app/${encodeURIComponent(job.app)}`, class: "quiet" }, `${job.app} /`), h("h1", { class: "flat" }, job.name), badge(job.state),
      h("span", { class: "quiet" }, `version ${job.version}, line ${job.line}`)),
    verbs(jobName(job.app, job.name), job.state, refresh));
}

function tabs(job, current) {
  const news = { partitions: isHeld(job) ? "!" : "", lateness: job.late_events ? count(job.late_events) : "" };
  return h("div", { role: "tablist", onkeydown: arrows }, TABS.map(([path, word]) => h("button", {
    role: "tab", "aria-selected": String(path === current), tabindex: path === current ? "0" : "-1", "data-tab": path || "summary",
    onclick: () => { location.hash = jobLink(job, path); },
  }, word, news[path] ? h("span", { class: "alert" }, ` ${news[path]}`) : null)));
}

function arrows(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const list = [...event.currentTarget.querySelectorAll("[role=tab]")];
  const next = list[(list.indexOf(document.activeElement) + by + list.length) % list.length];
  next.focus();
  next.click();
}
