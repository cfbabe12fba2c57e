// The page: who may look, which view is shown, the keys that lead there.

import { enter, Problem, token, Unreachable } from "./api.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { closeDialog, help, isOpen } from "./overlays.js";
import { problemBox } from "./parts.js";
import { login } from "./views/login.js";

const VIEWS = [
  { path: "", name: "Jobs", key: "o", icon: "jobs", file: "overview" },
  { path: "tables", name: "Tables", key: "t", icon: "tables", file: "tables" },
  { path: "letters", name: "Dead letters", key: "d", icon: "letters", file: "letters" },
  { path: "lineage", name: "Lineage", key: "l", icon: "lineage", file: "lineage" },
  { path: "advice", name: "Advice", key: "a", icon: "advice", file: "advice" },
  { path: "editor", name: "Editor", key: "e", icon: "editor", file: "editor" },
  { path: "ask", name: "Ask", key: "q", icon: "ask", file: "ask" },
  { path: "job", file: "job", hidden: true },
  { path: "app", file: "app", hidden: true },
];
const main = document.getElementById("main");
let current = null;

const theme = {
  get: () => localStorage.getItem("velostream.theme") || "",
  apply: () => document.documentElement.setAttribute("data-theme", theme.get() || "auto"),
  next() {
    const dark = theme.get() ? theme.get() === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    localStorage.setItem("velostream.theme", dark ? "light" : "dark");
    theme.apply();
  },
};

function bar(view) {
  show(document.getElementById("bar"),
    h("a", { class: "brand", href: "#/" }, icon("brand"), "Velostream"),
    h("span", { class: "where" }, view?.name || ""),
    h("span", { id: "link", class: "link", role: "status", "data-keep": "" }),
    h("button", { class: "plain", title: "Keys (?)", "aria-label": "Keys", onclick: () => help(VIEWS) }, icon("keys")),
    h("button", { class: "plain", title: "Dark or light", "aria-label": "Dark or light", onclick: theme.next }, icon("theme")),
    token.get() ? h("button", { class: "plain", title: "Forget the token", "aria-label": "Leave", onclick: leave }, icon("leave")) : null);
  show(document.getElementById("nav"), VIEWS.filter((one) => !one.hidden && token.get()).map((one) =>
    h("a", { href: `#/${one.path}`, "aria-current": current?.nav === one.path ? "page" : null, title: `g ${one.key}` },
      icon(one.icon), h("span", {}, one.name))));
}

function leave() {
  token.clear();
  route();
}

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [first, ...rest] = path.split("/").map(decodeURIComponent);
  return { first, rest, query: new URLSearchParams(query || "") };
}

async function route() {
  const { first, rest, query } = place();
  const view = VIEWS.find((one) => one.path === first) || VIEWS[0];
  current?.end();
  const aborting = new AbortController();
  const here = (current = { nav: ["job", "app"].includes(first) ? "" : view.path, end: () => aborting.abort() });
  closeDialog();
  bar(view);
  if (!token.get()) {
    document.title = "Velostream";
    show(main, login(() => route()));
    main.querySelector("input")?.focus();
    return;
  }
  const context = { rest, query, signal: aborting.signal, draw, poll, go, fail };

  function draw(...wanted) {
    if (current === here) show(main, ...wanted);
  }
  // Does something now and then again while the view is shown; a hidden tab waits.
  async function poll(seconds, act) {
    while (!aborting.signal.aborted) {
      if (!document.hidden) {
        try {
          await act();
        } catch (error) {
          if (aborting.signal.aborted) return;
          fail(error);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
  function fail(error) {
    if (error.name === "AbortError") return;
    if (error instanceof Problem && error.status === 401) {
      token.clear();
      route();
    } else if (!(error instanceof Unreachable) && current === here) show(main, problemBox(error, "This cannot be shown"));
    if (!(error instanceof Problem) && !(error instanceof Unreachable)) console.error(error);
  }

  const module = await import(`./views/${view.file}.js`);
  if (current !== here) return;
  document.title = `${[view.name, ...rest].filter(Boolean).slice(0, 3).join(" · ")} – Velostream`;
  if (main.dataset.view !== view.file) show(main, h("p", { class: "quiet pad" }, "…"));
  main.dataset.view = view.file;
  module.view(context);
}

document.addEventListener("linked", ({ detail: answers }) => {
  const link = document.getElementById("link");
  if (!link) return;
  link.textContent = answers ? "live" : "the server does not answer; trying again";
  link.className = answers ? "link on" : "link off";
});

// Goes to another address of the page; with `quiet` without a step of its own in the history.
function go(path, { quiet = false } = {}) {
  if (quiet) {
    history.replaceState(null, "", `#/${path}`);
    route();
  } else location.hash = `#/${path}`;
}

let before = "";
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "Escape") {
    if (isOpen()) closeDialog();
    else if (typing) event.target.blur();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (before === "g") {
    const view = VIEWS.find((one) => one.key === event.key);
    if (view) go(view.path);
  } else if (event.key === "?") help(VIEWS);
  else if (event.key === "/") {
    const field = main.querySelector("input[type=search], input, textarea");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (event.key === "T") theme.next();
  else if (/^[1-9]$/.test(event.key)) main.querySelectorAll("[role=tab]")[Number(event.key) - 1]?.click();
  before = event.key;
});

// Moves from row to row.
function step(by) {
  const rows = [...main.querySelectorAll("[data-row]")];
  const next = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(document.activeElement.closest("[data-row]")) + by))];
  next?.focus();
}

window.addEventListener("hashchange", () => (location.hash.startsWith("#/") || !location.hash ? route() : begin()));

async function begin() {
  theme.apply();
  let refused = null;
  if (/^#(token|login)=/.test(location.hash)) {
    const fragment = location.hash;
    history.replaceState(null, "", "#/");
    await enter(fragment).catch((error) => { refused = error; });
  }
  await route();
  if (refused && !token.get()) main.append(problemBox(refused, "The address cannot be used"));
}

begin();

// A view that is left gives up what it has asked for; that is no mistake of anybody.
window.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name === "AbortError") event.preventDefault();
});
