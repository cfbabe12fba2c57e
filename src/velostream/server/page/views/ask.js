// Questions in SQL to the server: SHOW, DESCRIBE, SELECT from tables, and the verbs.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { card, problemBox, select } from "../parts.js";

export function view({ query, draw, signal, fail }) {
  const state = { sql: "SHOW JOBS;", app: query.get("app") || "", results: null, refused: null, apps: [] };
  const redraw = () => draw(page(state, ask, redraw));
  async function ask() {
    try {
      Object.assign(state, { results: (await post("/api/v1/sql", { sql: state.sql, app: state.app }, { signal })).results, refused: null });
    } catch (error) {
      state.refused = error;
    }
    redraw();
  }
  get("/api/v1/apps", { limit: 1000 }, { signal }).then((found) => { state.apps = found.items; redraw(); }).catch(fail);
}

function page(state, ask, redraw) {
  return [
    h("h1", {}, "Ask"),
    h("form", { class: "card", onsubmit: (event) => { event.preventDefault(); ask(); } },
      h("textarea", { class: "ask mono", rows: "5", "aria-label": "SQL", spellcheck: "false", value: state.sql, oninput: (event) => { state.sql = event.target.value; }, onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask(); } }),
      h("div", { class: "row between" }, select("Streams and tables of", state.app, [["", "all"], ...state.apps.map((one) => [one.name, one.name])], (app) => { state.app = app; redraw(); }), h("button", { class: "primary", type: "submit" }, "Ask  (Ctrl Enter)")),
      h("p", { class: "quiet" }, "SHOW JOBS; SHOW STATUS; SHOW TABLES; DESCRIBE x; SELECT … from tables; PAUSE JOB j; RESUME JOB j; …")),
    state.refused ? problemBox(state.refused, "Not answered") : null,
    (state.results || []).map((one) => card(null, h("p", {}, h("code", {}, one.statement)), one.message ? h("p", {}, one.message) : null,
      one.columns.length ? table(one) : null)),
  ];
}

// The rows of an answer; numbers stand to the right.
function table({ columns, types, rows }) {
  const side = types.map((type) => (/^(TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE|DECIMAL)\b/.test(type) ? "number" : ""));
  const shown = (value) => (value === null ? h("span", { class: "quiet" }, "NULL") : typeof value === "object" ? JSON.stringify(value) : String(value));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, columns.map((name, place) => h("th", { class: side[place], title: types[place] }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, place) => h("td", { class: side[place] }, shown(value))))))));
}
