// The editor: validates while somebody types, with the findings of velo validate at their places, and deploys.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { toast } from "../overlays.js";
import { card, field, problemBox, select } from "../parts.js";
import { coloured } from "../sql.js";

const PAUSE = 350;
const MASK = "****";
const KEPT = "velostream.draft";
const HEADER = /^[ \t]*--[ \t]*SQL Application:[ \t]*(\S+)[ \t]*$/im;
const EXAMPLE = `-- SQL Application: hello
-- Version: 1

CREATE STREAM readings (sensor STRING, value DOUBLE, at TIMESTAMP)
  WITH ('type' = 'datagen', 'rate' = '50', 'event.time.field' = 'at');

CREATE STREAM averages AS
SELECT sensor, AVG(value) AS mean, COUNT(*) AS n
FROM readings
GROUP BY sensor
WINDOW TUMBLING(10s)
INTO files
WITH ('files.type' = 'file_sink', 'files.path' = 'averages', 'files.format' = 'jsonl');
`;

export function view({ query, draw, signal, go, fail }) {
  const app = query.get("app") || "";
  const state = { sql: "", name: app, version: "", strategy: "REPLACE", fresh: false, answer: null, verdict: null, refused: null, busy: false };
  const area = editorArea(() => { state.sql = area.text(); keep(); later(); }, () => check());
  let waiting = 0;
  const keep = () => { if (!app) sessionStorage.setItem(KEPT, state.sql); };
  const later = () => { clearTimeout(waiting); waiting = setTimeout(check, PAUSE); };
  const redraw = () => draw(page(state, area, { change, check, dry: () => deploy(true), deploy: () => deploy(false) }));
  const name = () => state.name || headed(state.sql);
  function change(changes) { Object.assign(state, changes, { verdict: null }); redraw(); }

  async function check() {
    clearTimeout(waiting);
    const asked = state.sql;
    try {
      const answer = await post("/api/v1/validate", { sql: asked, name: name() || "editor" }, { signal });
      if (asked !== state.sql) return;
      Object.assign(state, { answer, refused: null });
      area.mark(answer.findings);
      redraw();
    } catch (error) { fail(error); }
  }
  async function deploy(dry) {
    Object.assign(state, { busy: true, refused: null });
    redraw();
    try {
      const answer = await post("/api/v1/apps", { name: name(), sql: state.sql, version: state.version, strategy: state.strategy, fresh: state.fresh, dry_run: dry }, { signal });
      state.verdict = answer.verdict;
      if (answer.deployed) {
        toast(`${answer.app} ${answer.version} is deployed`);
        go(`app/${encodeURIComponent(answer.app)}`);
        return;
      }
    } catch (error) {
      if (error.findings?.length) area.mark(error.findings);
      state.refused = error;
    }
    state.busy = false;
    redraw();
  }

  const load = app ? get(`/api/v1/apps/${encodeURIComponent(app)}`, {}, { signal }).then((found) => found.sql) : Promise.resolve(sessionStorage.getItem(KEPT) || EXAMPLE);
  load.then((sql) => { state.sql = sql; area.set(sql); redraw(); check(); }).catch(fail);
  signal.addEventListener("abort", () => clearTimeout(waiting));
}

// The name that the header of a text gives its application.
const headed = (sql) => HEADER.exec(sql)?.[1] || "";

function page(state, area, act) {
  const found = state.answer?.findings || [];
  const errors = found.filter((one) => one.severity === "error").length;
  const masked = state.sql.includes(MASK);
  const ready = state.answer?.ok && (state.name || headed(state.sql)) && !state.busy && !masked;
  const input = (name, label, more) => field(label, h("input", { name, value: state[name], spellcheck: "false", oninput: (event) => act.change({ [name]: event.target.value }), ...more }));
  return [
    h("div", { class: "row between" }, h("h1", { class: "flat" }, "Editor"), h("span", { class: `badge ${!state.answer ? "calm" : errors ? "bad" : "good"}`, role: "status", "data-check": "" },
      !state.answer ? "checking …" : errors ? `${errors} error${errors === 1 ? "" : "s"}` : `no errors, ${state.answer.statements} statements, ${state.answer.jobs.length} job${state.answer.jobs.length === 1 ? "" : "s"}`)),
    area.element,
    h("section", { class: "card flush findings", "aria-live": "polite" }, found.length ? found.map((one) => h("button", { class: `finding ${one.severity}`, onclick: () => area.go(one) },
      h("b", {}, `${one.severity}[${one.code}]`), ` ${one.message}`, one.line ? h("span", { class: "quiet" }, `  line ${one.line}:${one.column}`) : null, one.hint ? h("div", { class: "hint" }, `hint: ${one.hint}`) : null)) : h("p", { class: "quiet pad" }, "No findings.")),
    masked ? h("div", { class: "banner" }, h("div", {}, h("p", { class: "big" }, "Secrets of this text are masked as ****."), h("p", {}, "The server shows none of them. Write them again where they stand, or name a variable of the server's environment, before it can be deployed."))) : null,
    card("Deploy",
      h("div", { class: "row" }, input("name", "Application", { placeholder: headed(state.sql) || "name", required: !headed(state.sql) }), input("version", "Version", { placeholder: "as in the header" }),
        select("Strategy", state.strategy, [["REPLACE", "replace"], ["BLUE_GREEN", "blue-green"], ["CANARY(10)", "canary, 10 %"], ["ROLLING", "rolling"]], (strategy) => act.change({ strategy })),
        h("label", { class: "row" }, h("input", { type: "checkbox", checked: state.fresh, onchange: (event) => act.change({ fresh: event.target.checked }) }), "begin without state"),
        h("button", { onclick: act.dry, disabled: !ready }, "Can the state be kept?"), h("button", { class: "primary", "data-act": "deploy", onclick: act.deploy, disabled: !ready }, state.busy ? "Deploying …" : "Deploy")),
      state.verdict ? verdict(state.verdict) : null, state.refused ? problemBox(state.refused, "Not deployed") : null),
  ];
}

function verdict(said) {
  return h("div", { class: `banner ${said.compatible ? "good" : "bad"}` }, h("div", {}, h("p", { class: "big" }, said.first ? "It is the first version: there is no state yet." : said.compatible ? "The state can be kept." : "The state cannot be kept."),
    said.changes.map((one) => h("p", {}, h("span", { class: `badge ${one.compatible ? "good" : "bad"}` }, one.compatible ? "kept" : "lost"), ` ${one.job}: ${one.text}`)), said.changes.length ? null : h("p", { class: "quiet" }, said.text)));
}

// The field itself: a text area over the same text in colours, with numbers of lines beside it.
function editorArea(changed, check) {
  const gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const paper = h("pre", { "aria-hidden": "true" });
  const text = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "SQL", wrap: "off" });
  const element = h("div", { class: "editor", "data-keep": "", "data-key": "editor" }, gutter, h("div", { class: "sheetbox" }, paper, text));
  let findings = [];
  const paint = () => {
    const lines = text.value.split("\n");
    paper.replaceChildren(...coloured(text.value, findings), "\n");
    gutter.replaceChildren(...lines.map((_, place) => {
      const worst = ["error", "warning"].find((severity) => findings.some((one) => one.severity === severity && one.line === place + 1));
      return h("div", { class: worst || "" }, count(place + 1));
    }));
    scroll();
  };
  const scroll = () => { paper.scrollTop = gutter.scrollTop = text.scrollTop; paper.scrollLeft = text.scrollLeft; };
  text.onscroll = scroll;
  text.oninput = () => { findings = []; paint(); changed(); };
  text.onkeydown = (event) => {
    if (event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      text.setRangeText("    ", text.selectionStart, text.selectionEnd, "end");
      text.oninput();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
  };
  return {
    element, text: () => text.value,
    set(value) { text.value = value; paint(); },
    mark(list) { findings = list; paint(); },
    go(one) {
      if (!one.line) return;
      const lines = text.value.split("\n");
      const start = lines.slice(0, one.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + one.column - 1;
      text.focus();
      text.setSelectionRange(start, start + (one.end_line === one.line ? Math.max(1, one.end_column - one.column) : 1));
      text.scrollTop = Math.max(0, (one.line - 5) * 20);
    },
  };
}
