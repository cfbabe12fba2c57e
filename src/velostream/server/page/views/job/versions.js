// The deployments of an application, and the way back to one of them.

import { get, jobPath, post } from "../../api.js";
import { h } from "../../dom.js";
import { ago, moment } from "../../format.js";
import { confirm, toast } from "../../overlays.js";
import { badge, heads } from "../../parts.js";

export const ask = (app, name, signal) => get(jobPath(app, name, "/versions"), {}, { signal });

export const show = (job, { items }, state) => table(job.app, items, () => state.refresh().catch(state.fail));

export function table(app, items, after) {
  async function back(version) {
    if (!(await confirm(`Back to version ${version}?`, "Its text is deployed again; the switch loses and doubles no result.", "Roll back"))) return;
    try {
      await post(`/api/v1/jobs/${encodeURIComponent(app)}/rollback`, { version });
      toast(`${app} goes back to ${version}`);
    } catch (error) {
      toast(`${error.message}${error.hint ? ` – ${error.hint}` : ""}`, "bad");
    }
    after();
  }
  return h("section", { class: "card flush" }, h("div", { class: "scroll" }, h("table", {},
    heads(["#", "Version", "State", "Role", "#Writes", "Strategy", "Deployed", "Keeps the state of", ""]),
    h("tbody", {}, items.map((one) => h("tr", { "data-key": String(one.number) },
      h("td", { class: "number quiet" }, `#${one.number}`), h("td", {}, h("b", {}, one.version)), h("td", {}, badge(one.state)), h("td", {}, badge(one.role)),
      h("td", { class: "number" }, `${one.share} % of keys`), h("td", {}, one.strategy), h("td", { title: moment(one.created) }, ago(one.created)),
      h("td", {}, one.keeps_state_of === null ? "–" : `#${one.keeps_state_of}`),
      h("td", {}, one.role === "retired" ? h("button", { onclick: () => back(one.version) }, "Roll back to it") : null)))))));
}
