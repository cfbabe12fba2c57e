// Advice: what is not as it should be, the figures that say so, and what to change.

import { get } from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { empty, select } from "../parts.js";

const KINDS = {
  loses: ["bad", "records are lost"], grows: ["warn", "state grows"], slow: ["warn", "slow"], odd: ["busy", "unlike before"], waste: ["calm", "waste"],
};
const GUIDED = { "guides/watermark-stuck": "partitions", "guides/many-late-events": "lateness" };

export function view({ query, draw, poll, signal, go }) {
  const app = query.get("app") || "";
  poll(10, async () => {
    const [apps, found] = await Promise.all([get("/api/v1/apps", { limit: 1000 }, { signal }), get("/api/v1/advice", { app }, { signal })]);
    draw(page(apps.items, found.items, app, go));
  });
}

function page(apps, items, app, go) {
  return [
    h("div", { class: "row between" }, h("h1", { class: "flat" }, "Advice"),
      select("Application", app, [["", "all"], ...apps.map((one) => [one.name, one.name])], (name) => go(`advice${name ? `?app=${encodeURIComponent(name)}` : ""}`, { quiet: true }))),
    items.length ? items.map(card) : empty("Nothing to change.", "Jobs are looked at as they run: lost records, growing state, slow stages, skewed keys, columns that nobody reads, and figures unlike those before."),
  ];
}

function card(one) {
  const [tone, word] = KINDS[one.kind] || ["calm", one.kind];
  const tab = Object.entries(GUIDED).find(([guide]) => one.guide.includes(guide))?.[1] || "";
  return h("section", { class: `card advice ${tone === "bad" ? "bad" : tone === "warn" ? "" : "note"}`, "data-key": `${one.app}/${one.job}/${one.what}` },
    h("div", { class: "row" }, h("span", { class: `badge ${tone}` }, word), h("a", { href: `#/job/${encodeURIComponent(one.app)}/${encodeURIComponent(one.job)}${tab ? `/${tab}` : ""}` }, `${one.app} / ${one.job}`)),
    h("p", {}, h("b", {}, one.what)), h("p", {}, "→ ", one.change),
    h("ul", { class: "legend" }, Object.entries(one.figures).map(([name, value]) => h("li", {}, `${name.replaceAll("_", " ")} `, h("span", { class: "number" }, shown(value))))),
    one.guide ? h("p", { class: "quiet" }, `more: docs/${one.guide.replace(/^docs\//, "")}`) : null);
}

// A figure in words; what is inside of it in brackets, without the signs of data.
function shown(value, inside = false) {
  if (typeof value === "number") return count(Math.round(value * 1000) / 1000);
  if (isCurve(value)) {
    const [at, what] = Object.keys(value[0]);
    return `${what} by ${at.replaceAll("_", " ")}: ${value.map((each) => `${shown(each[at])}: ${shown(each[what])}`).join(" · ")}`;
  }
  if (Array.isArray(value)) return value.map((each) => shown(each, true)).join(" · ");
  if (value !== null && typeof value === "object") return Object.entries(value).map(([name, each]) => (typeof each === "object" ? shown(each, true) : `${name.replaceAll("_", " ")} ${shown(each, true)}`)).join(inside ? ", " : " · ");
  return value === null ? "–" : String(value);
}

// Figures at points, such as how many records would be too late with which lateness.
const isCurve = (value) => Array.isArray(value) && value.length > 1 && value.every((each) => {
  const inside = each === null ? [] : Object.values(each);
  return inside.length === 2 && inside.every((one) => typeof one === "number");
});
