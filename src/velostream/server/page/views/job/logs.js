// The newest lines of a job's log.

import { get, jobPath } from "../../api.js";
import { h } from "../../dom.js";
import { field, select } from "../../parts.js";

const MOST_ROWS = 3;
const LEVELS = ["debug", "info", "warning", "error"];

export const ask = (app, name, signal, state) => get(jobPath(app, name, "/logs"), { lines: state.chosen.lines || 300 }, { signal });

export function show(job, said, state) {
  const chosen = state.chosen;
  const set = (name) => (value) => { chosen[name] = value; state.redraw(); };
  return [h("div", { class: "row between" },
    h("div", { class: "row" },
      field("Search", h("input", { type: "search", oninput: (event) => set("text")(event.target.value) })),
      select("Level", chosen.level || "debug", LEVELS.map((level) => [level, `${level} and above`]), set("level")),
      select("Lines", String(chosen.lines || 300), ["100", "300", "1000", "5000"].map((each) => [each, each]), set("lines")))),
  lines(said.lines, chosen),
  said.output.length ? h("details", { class: "card" }, h("summary", {}, `what its process printed beside the log (${said.output.length} lines)`), h("pre", {}, said.output.join("\n"))) : null];
}

export function lines(all, { level = "debug", text = "" } = {}) {
  const rank = (word) => LEVELS.indexOf({ critical: "error", warn: "warning" }[word] || word);
  const wanted = all.filter((line) => (rank(line.level.toLowerCase()) === -1 || rank(line.level.toLowerCase()) >= rank(level)) && JSON.stringify(line).toLowerCase().includes(text.toLowerCase()));
  if (!wanted.length) return h("p", { class: "quiet" }, "no such line");
  return h("div", { class: "log", role: "log", tabindex: "0" }, wanted.map((line) => {
    const { at, level: said, message, ...more } = line;
    const rest = Object.entries(more).filter(([name]) => name !== "job").map(([name, value]) => `${name}=${typeof value === "object" ? listed(value) : value}`).join(" ");
    return h("div", { class: said.toLowerCase() }, h("span", { class: "quiet" }, (at || "").replace("T", " ")), h("span", {}, said.toLowerCase()), h("span", {}, message, rest ? h("span", { class: "quiet" }, `  ${rest}`) : null));
  }));
}

/** Of many rows the first few: a sink that prints logs a hundred of each batch. */
function listed(value) {
  const more = Array.isArray(value) ? value.length - MOST_ROWS : 0;
  return more > 0 ? `${JSON.stringify(value.slice(0, MOST_ROWS))} and ${more} more` : JSON.stringify(value);
}
