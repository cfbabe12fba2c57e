// What lies over the page for a while: a question, a detail, a word that something was done.

import { h, show } from "./dom.js";
import { icon } from "./icons.js";

const over = document.getElementById("over");
let returnTo = null;

export const isOpen = () => Boolean(over.querySelector("dialog"));

export function closeDialog() {
  const dialog = over.querySelector("dialog");
  if (!dialog) return;
  dialog.close();
  dialog.remove();
  returnTo?.isConnected && returnTo.focus();
}

// A dialog; `side` lets it stand at the edge, for details.
export function open(title, content, { side = false } = {}) {
  closeDialog();
  returnTo = document.activeElement;
  const dialog = h("dialog", { class: side ? "side" : "", "aria-label": title, oncancel: (event) => { event.preventDefault(); closeDialog(); } },
    h("div", { class: "dialog-head" }, h("h2", {}, title),
      h("button", { class: "plain", "aria-label": "Close", onclick: closeDialog }, icon("close"))),
    h("div", { class: "dialog-body" }, content));
  dialog.onclick = (event) => { if (event.target === dialog) closeDialog(); };
  over.append(dialog);
  dialog.showModal();
  return dialog;
}

// Asks before something is done that cannot be undone.
export function confirm(title, text, word) {
  return new Promise((resolve) => {
    const answer = (said) => () => { closeDialog(); resolve(said); };
    const dialog = open(title, [h("p", {}, text), h("div", { class: "row end" },
      h("button", { onclick: answer(false) }, "Cancel"), h("button", { class: "danger", onclick: answer(true) }, word))]);
    dialog.querySelector("button.danger").focus();
  });
}

// A word at the edge, gone after a while.
export function toast(text, kind = "good") {
  let list = over.querySelector(".toasts");
  if (!list) over.append((list = h("div", { class: "toasts", role: "status" })));
  const one = h("div", { class: `toast ${kind}` }, icon(kind === "good" ? "good" : "warn"), h("span", {}, text));
  list.append(one);
  setTimeout(() => one.remove(), kind === "good" ? 5000 : 12000);
}

export function help(views) {
  const keys = [
    ...views.filter((one) => !one.hidden).map((one) => [`g ${one.key}`, one.name]),
    ["j  k", "next and previous row"], ["Enter", "open the row"], ["1 – 9", "tab of a job"], ["/", "search or filter"],
    ["T", "dark or light"], ["Esc", "close, or leave a field"], ["Ctrl Enter", "in the editor: check now"],
  ];
  const list = h("dl", { class: "keys" });
  show(list, keys.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]));
  open("Keys", list);
}
