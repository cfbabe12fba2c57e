// One application: its jobs, versions, what happened, and its text.

import { get, remove } from "../api.js";
import { h } from "../dom.js";
import { bytes, count, moment, rate, span } from "../format.js";
import { icon } from "../icons.js";
import { remember } from "../live.js";
import { confirm, toast } from "../overlays.js";
import { badge, card, heads, jobLink, row, verbs } from "../parts.js";
import { coloured } from "../sql.js";
import { lines } from "./job/logs.js";
import { table } from "./job/versions.js";

export function view({ rest, draw, poll, signal, go, fail }) {
  const [name] = rest;
  async function refresh() {
    const app = await get(`/api/v1/apps/${encodeURIComponent(name)}`, {}, { signal });
    remember(app.job_list);
    draw(page(app, () => refresh().catch(fail), go));
  }
  poll(2, refresh);
}

async function forget(app, go) {
  if (!(await confirm(`Delete ${app.name}?`, "It is stopped, and forgotten with its state, its versions and its log. What it has written stays.", "Delete"))) return;
  try {
    await remove(`/api/v1/apps/${encodeURIComponent(app.name)}`);
    toast(`${app.name} is deleted`);
    go("");
  } catch (error) {
    toast(error.message, "bad");
  }
}

function page(app, after, go) {
  return [
    h("div", { class: "row between" },
      h("div", { class: "row" }, h("h1", { class: "flat" }, app.name), badge(app.state), h("span", { class: "quiet" }, `version ${app.version}`)),
      h("div", { class: "row" }, verbs(app.name, app.state, after), h("a", { class: "button", href: `#/editor?app=${encodeURIComponent(app.name)}` }, icon("editor"), "Edit"), h("button", { class: "danger", onclick: () => forget(app, go) }, "Delete"))),
    app.reason ? h("div", { class: "banner bad", role: "alert" }, icon("warn"), h("div", {}, h("p", { class: "big" }, app.reason), app.hint ? h("p", {}, h("b", {}, "hint: "), app.hint) : null, app.restarts ? h("p", {}, `restarted ${app.restarts === 1 ? "once" : `${app.restarts} times`}`) : null)) : null,
    app.log.length ? card("The last lines of its log", lines(app.log)) : null,
    h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
      heads(["Job", "", "#Records/s", "#Read", "#Watermark lag", "#State", "#Late", "#Dead letters"]),
      h("tbody", {}, app.job_list.map((job) => row(job.name, () => go(jobLink(job).slice(2)), h("td", {}, h("a", { href: jobLink(job) }, job.name)), h("td", {}, badge(job.state)),
        h("td", { class: "number" }, rate(job.rate)), h("td", { class: "number" }, count(job.read)), h("td", { class: "number" }, span(job.watermark_lag_seconds)),
        h("td", { class: "number" }, bytes(job.state_bytes)), h("td", { class: "number" }, count(job.late_events)), h("td", { class: "number" }, count(job.dead_lettered)))))))),
    h("h2", {}, "Versions"), table(app.name, app.versions, after),
    h("div", { class: "grid two" },
      card("What happened", h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, app.happenings.slice(0, 30).map((one) => h("tr", {}, h("td", { class: "number quiet" }, moment(one.at)), h("td", {}, `#${one.number} ${one.what}`), h("td", { class: "wide quiet" }, one.detail))))))),
      card("Its text", h("pre", { class: "record" }, coloured(app.sql, [])))),
  ];
}
