// All jobs at a glance: what runs, how fast, how far behind, and what wants to be looked at first.

import { get } from "../api.js";
import { lineChart, niceBytes, niceTime, spark } from "../charts.js";
import { h } from "../dom.js";
import { bytes, count, rate, short, span } from "../format.js";
import { icon } from "../icons.js";
import { jobs as ask, series } from "../live.js";
import { badge, empty, heads, holders, isHeld, isLong, jobLink, jobName, row, tile, verbs } from "../parts.js";

const MOST_LINES = 8;

export function view({ draw, poll, signal, go }) {
  let wanted = "";
  let known = null;
  const redraw = () => known && draw(page(known, wanted, (text) => { wanted = text; redraw(); }, refresh, go));
  async function refresh() {
    const [apps, jobs, tables] = await Promise.all([get("/api/v1/apps", { limit: 1000 }, { signal }), ask(signal), get("/health/progress", {}, { signal })]);
    known = { apps: apps.items, jobs, tables: tables.tables };
    redraw();
  }
  poll(2, refresh);
}

function page({ apps, jobs, tables }, wanted, search, refresh, go) {
  if (!apps.length) {
    return empty("No application is deployed yet.", ["Write one in the ", h("a", { href: "#/editor" }, "editor"), ", or run velo deploy app.sql."]);
  }
  const matches = (job) => `${job.app}.${job.name}`.toLowerCase().includes(wanted.toLowerCase());
  return [
    h("h1", {}, "Jobs"),
    tiles(jobs, tables),
    attention(apps, jobs, tables),
    h("div", { class: "grid three" },
      chart("Records a second", jobs, "rate", rate), chart("Watermark lag", jobs, "lag", span, niceTime), chart("State", jobs, "state", bytes, niceBytes)),
    h("div", { class: "row between" }, h("h2", {}, "Applications"),
      h("input", { type: "search", placeholder: "filter jobs  ( / )", "aria-label": "Filter jobs", oninput: (event) => search(event.target.value) })),
    apps.map((app) => application(app, jobs.filter((job) => job.app === app.name && matches(job)), refresh, go)),
  ];
}

function tiles(jobs, tables) {
  const running = jobs.filter((job) => job.state === "running").length;
  const failed = jobs.filter((job) => job.state === "failed").length;
  const worst = jobs.reduce((most, job) => ((job.watermark_lag_seconds ?? -1) > (most?.watermark_lag_seconds ?? -1) ? job : most), null);
  const letters = jobs.reduce((sum, job) => sum + job.dead_lettered, 0);
  const wanted = tables.filter((table) => table.state !== "stopped");
  const loading = wanted.filter((table) => !["ready", "refreshing"].includes(table.state)).length;
  return h("div", { class: "tiles" },
    tile("Jobs running", `${running} of ${jobs.length}`, { tone: failed ? "bad" : "", note: failed ? `${failed} failed` : "" }),
    tile("Records a second", rate(jobs.reduce((sum, job) => sum + job.rate, 0)), { note: `${short(jobs.reduce((sum, job) => sum + job.read, 0))} read` }),
    tile("Largest watermark lag", span(worst?.watermark_lag_seconds), {
      tone: worst && isHeld(worst) ? "warn" : "", note: worst && isHeld(worst) ? `held by ${holders(worst)}` : "", href: worst ? jobLink(worst, "partitions") : "",
    }),
    tile("Dead letters", count(letters), { tone: letters ? "warn" : "", href: "#/letters" }),
    tile("Tables", `${wanted.length - loading} of ${wanted.length} ready`, { tone: loading ? "warn" : "", href: "#/tables" }),
    tile("State", bytes(jobs.reduce((sum, job) => sum + job.state_bytes, 0))));
}

// What a person on call should look at first, each with the place to look.
function attention(apps, jobs, tables) {
  const found = [
    ...apps.filter((app) => ["failed", "restarting"].includes(app.state)).map((app) => ({
      tone: "bad", href: `#/app/${encodeURIComponent(app.name)}`, text: [h("b", {}, app.name), ` ${app.state}: ${app.reason || "no reason is known yet"}`], to: "log",
    })),
    ...jobs.filter(isHeld).map((job) => ({
      tone: "warn", href: jobLink(job, "partitions"), to: "partitions",
      text: [h("b", {}, job.name), job.watermark ? `: the watermark is ${span(job.watermark_lag_seconds)} behind, held back by ` : ": there is no watermark, held back by ", h("code", {}, holders(job, 3))],
    })),
    ...jobs.filter(isLong).map((job) => ({
      tone: "warn", href: jobLink(job, "plan"), to: "time by stage", text: [h("b", {}, job.name), `: its micro-batch has run for ${span(job.batch_seconds)}, and nothing comes before it ends`],
    })),
    ...tables.filter((table) => !["ready", "refreshing", "stopped"].includes(table.state)).map((table) => ({
      tone: table.state === "failed" ? "bad" : "warn", href: "#/tables", to: "tables",
      text: ["table ", h("b", {}, table.name), ` is ${table.state}${table.percent !== null ? `, ${table.percent} %` : ""}${table.error ? `: ${table.error}` : ""}`],
    })),
    ...jobs.filter((job) => job.dead_lettered).map((job) => ({
      tone: "warn", href: `#/letters?app=${encodeURIComponent(job.app)}&job=${encodeURIComponent(job.name)}`, to: "letters",
      text: [h("b", {}, job.name), ` has ${count(job.dead_lettered)} dead letter${job.dead_lettered === 1 ? "" : "s"}`],
    })),
  ];
  if (!found.length) return null;
  return h("section", { class: "attention", "aria-label": "Look at this first" }, h("h2", {}, "Look at this first"),
    h("ul", {}, found.slice(0, 8).map((one) => h("li", {}, h("a", { class: one.tone, href: one.href }, icon("warn"), h("span", {}, one.text), h("span", { class: "to" }, one.to))))),
    found.length > 8 ? h("p", { class: "quiet" }, `and ${found.length - 8} more`) : null);
}

function chart(title, jobs, figure, format, round) {
  const most = [...jobs].sort((a, b) => last(b, figure) - last(a, figure)).slice(0, MOST_LINES);
  const lines = most.map((job) => ({ name: job.name, colour: jobs.indexOf(job), points: series(job, figure) }));
  return lineChart({ title, series: lines, format, round });
}

const last = (job, figure) => series(job, figure).at(-1)?.[1] ?? -1;

function application(app, jobs, refresh, go) {
  if (!jobs.length) return null;
  return h("section", { class: "card flush", "data-key": app.name },
    h("div", { class: "row between pad" },
      h("div", { class: "row" }, h("h3", {}, h("a", { href: `#/app/${encodeURIComponent(app.name)}` }, app.name)), badge(app.state),
        h("span", { class: "quiet" }, `version ${app.version}`), app.restarts ? h("span", { class: "quiet" }, `restarted ${app.restarts}×`) : null),
      verbs(app.name, app.state, refresh, { small: true })),
    h("div", { class: "scroll" }, h("table", {},
      heads(["Job", "", "#Records/s", "", "#Read", "#Watermark lag", "Held back by", "#Open windows", "#State", "#Late", "#Dead letters", ""]),
      h("tbody", {}, jobs.map((job) => line(job, refresh, go))))));
}

function line(job, refresh, go) {
  const number = (...content) => h("td", { class: "number" }, content);
  return row(`${job.app}/${job.name}`, () => go(jobLink(job).slice(2)),
    h("td", {}, h("a", { href: jobLink(job) }, job.name)), h("td", {}, badge(job.state)),
    number(short(job.rate)), h("td", { class: "slim" }, spark(series(job, "rate").slice(-60))), number(short(job.read)),
    h("td", { class: isHeld(job) ? "number warn" : "number" }, span(job.watermark_lag_seconds)),
    h("td", { class: "nowrap" }, isHeld(job) ? h("a", { href: jobLink(job, "partitions") }, h("code", {}, job.held_back_by[0]), job.held_back_by.length > 1 ? ` +${job.held_back_by.length - 1}` : "") : h("span", { class: "quiet" }, "–")),
    number(count(job.open_windows)), number(bytes(job.state_bytes)), number(job.late_events ? h("a", { href: jobLink(job, "lateness") }, count(job.late_events)) : "0"),
    number(job.dead_lettered ? h("a", { href: `#/letters?app=${encodeURIComponent(job.app)}&job=${encodeURIComponent(job.name)}` }, count(job.dead_lettered)) : "0"),
    h("td", {}, verbs(jobName(job.app, job.name), job.state, refresh, { small: true })));
}
