// Requests to the server that this page came from, with the token of this tab.

const KEPT = "velostream.token";

export const token = {
  get: () => sessionStorage.getItem(KEPT) || "",
  set: (value) => sessionStorage.setItem(KEPT, value),
  clear: () => sessionStorage.removeItem(KEPT),
};

// What the server refused, in its own words.
export class Problem extends Error {
  constructor(status, said) {
    super(said.detail || `the server answered ${status}`);
    this.status = status;
    this.hint = said.hint || "";
    this.code = said.code || "";
    this.findings = said.findings || [];
  }
}

export class Unreachable extends Error {}

// Tells the page whether the server answers.
const linked = (answers) => document.dispatchEvent(new CustomEvent("linked", { detail: answers }));

export async function request(path, { method = "GET", body, signal, headers = {} } = {}) {
  const sent = { ...headers };
  if (token.get()) sent.Authorization = `Bearer ${token.get()}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method, signal, headers: sent, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    linked(false);
    throw new Unreachable("the server does not answer");
  }
  linked(true);
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Problem(answer.status, said);
}

export async function get(path, query, options) {
  const wanted = new URLSearchParams(Object.entries(query || {}).filter(([, value]) => value !== "" && value != null));
  const text = wanted.toString();
  return (await request(text ? `${path}?${text}` : path, options)).json();
}

export async function post(path, body, options) {
  const answer = await request(path, { method: "POST", body: body ?? {}, ...options });
  return answer.status === 204 ? null : answer.json();
}

export const remove = (path) => request(path, { method: "DELETE" });

export const jobPath = (app, job, rest = "") => `/api/v1/jobs/${encodeURIComponent(`${app}.${job}`)}${rest}`;

// Exchanges the code of an address that was opened for the token; a fragment may also bring the token itself.
export async function enter(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  if (given.get("token")) token.set(given.get("token"));
  else if (given.get("login")) token.set((await post("/login", { code: given.get("login") })).token);
  else return false;
  return true;
}

// Server-sent events with the token, which EventSource cannot send; goes on after the last event it saw.
export async function follow(path, hear, signal) {
  let last = "";
  while (!signal.aborted) {
    try {
      const answer = await request(path, { signal, headers: last ? { "Last-Event-ID": last } : {} });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let held = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        held += value.replaceAll("\r\n", "\n");
        const events = held.split("\n\n");
        held = events.pop();
        for (const event of events) last = heard(event, hear) || last;
      }
    } catch (error) {
      if (signal.aborted) return;
      hear("Lost", error);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function heard(text, hear) {
  const fields = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, "");
  }
  if (fields.event) hear(fields.event, fields.data ? JSON.parse(fields.data) : null);
  return fields.id;
}
