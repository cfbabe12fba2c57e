// Pieces that several views are made of.

import { jobPath, post, Problem } from "./api.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { confirm, toast } from "./overlays.js";

const TONES = {
  running: "good", ready: "good", done: "calm", starting: "busy", loading: "busy", refreshing: "busy", restarting: "warn",
  stopping: "busy", paused: "warn", waiting: "calm", stopped: "calm", failed: "bad", active: "good", beside: "busy", retired: "calm",
};

export const badge = (state) => h("span", { class: `badge ${TONES[state] || "calm"}` }, state);

// Whether a micro-batch has run for more than a minute.
export const isLong = (job) => (job.batch_seconds ?? 0) > 60;

// Whether partitions hold the watermark of a job back for real: by a minute, or by having said nothing while others have.
export const isHeld = (job) => job.held_by_silence || (job.held_back_seconds ?? 0) > 60;

// Who that is, in a few words.
export const holders = (job, most = 1) => job.held_back_by.slice(0, most).join(", ") + (job.held_back_by.length > most ? ` and ${job.held_back_by.length - most} more` : "");

export const tile = (label, value, { tone = "", note = "", href = "" } = {}) =>
  h(href ? "a" : "div", { class: `tile ${tone}`, href: href || null }, h("span", { class: "label" }, label),
    h("span", { class: "value" }, value), note ? h("span", { class: "note" }, note) : null);

export const card = (title, ...content) => h("section", { class: "card" }, title ? h("h2", {}, title) : null, content);

export const empty = (text, hint = "") => h("div", { class: "empty" }, h("p", {}, text), hint ? h("p", { class: "quiet" }, hint) : null);

export function problemBox(error, title) {
  const said = error instanceof Problem ? error : { message: String(error.message || error), hint: "" };
  return h("div", { class: "problem", role: "alert" }, h("b", {}, title), h("p", {}, said.message),
    said.hint ? h("p", { class: "quiet" }, h("b", {}, "hint: "), said.hint) : null);
}

export const jobLink = (job, tab = "") => `#/job/${encodeURIComponent(job.app)}/${encodeURIComponent(job.name)}${tab ? `/${tab}` : ""}`;

// The head of a table; a name that begins with # stands over numbers.
export const heads = (names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { class: name.startsWith("#") ? "number" : "" }, name.replace("#", "")))));

export const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);

export function select(label, value, options, change) {
  const list = h("select", { onchange: (event) => change(event.target.value) },
    options.map(([word, text]) => h("option", { value: word, selected: word === value }, text)));
  return field(label, list);
}

const VERBS = {
  pause: { icon: "pause", word: "Pause", from: ["running"], done: "is paused" },
  resume: { icon: "play", word: "Resume", from: ["paused", "stopped"], done: "goes on" },
  flush: { icon: "flush", word: "Flush", from: ["running"], done: "has written what stood open" },
  restart: { icon: "again", word: "Restart", from: ["running", "paused", "stopped", "failed", "restarting"], done: "starts again" },
  stop: { icon: "stop", word: "Stop", from: ["running", "paused", "starting", "restarting"], done: "stops" },
};

// The buttons of what can be done with a job (or an application, by its name alone) in its state.
export function verbs(name, state, after, { small = false } = {}) {
  return h("div", { class: small ? "verbs small" : "verbs" }, Object.entries(VERBS).filter(([, one]) => one.from.includes(state)).map(([verb, one]) =>
    h("button", { "data-key": verb, "data-verb": verb, title: `${one.word} ${name}`, "aria-label": `${one.word} ${name}`, onclick: (event) => act(event, name, verb, one, after) },
      icon(one.icon), small ? null : one.word)));
}

async function act(event, name, verb, one, after) {
  event.stopPropagation();
  const button = event.currentTarget;
  if (verb === "stop" && !(await confirm(`Stop ${name}?`, "It ends after its running batch and keeps its state; Resume or Restart goes on from there.", "Stop"))) return;
  button.disabled = true;
  try {
    await post(`/api/v1/jobs/${encodeURIComponent(name)}/${verb}`, verb === "stop" ? { force: false } : {});
    toast(`${name} ${one.done}`);
  } catch (error) {
    toast(`${error.message}${error.hint ? ` – ${error.hint}` : ""}`, "bad");
  }
  button.disabled = false;
  after?.();
}

// A row that can be reached and opened with the keyboard. Links and buttons in it are their own.
export function row(key, open, ...cells) {
  return h("tr", {
    "data-key": key, "data-row": "", tabindex: "0", class: "opens",
    onclick: (event) => { if (!event.target.closest("a, button, input, label")) open(); },
    onkeydown: (event) => { if (event.key === "Enter" && event.target === event.currentTarget) { event.preventDefault(); open(); } },
  }, cells);
}

export const jobName = (app, job) => `${app}.${job}`;
export { jobPath };
