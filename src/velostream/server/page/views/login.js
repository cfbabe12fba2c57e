// Who has no token yet: it is asked for once, and kept for this tab.

import { get, token } from "../api.js";
import { h } from "../dom.js";

export function login(entered) {
  const said = h("p", { class: "error", role: "alert" });
  async function submit(event) {
    event.preventDefault();
    const given = new FormData(event.target).get("token").trim();
    token.set(given);
    try {
      await get("/api/v1/jobs", { limit: 1 });
      entered();
    } catch (error) {
      token.clear();
      said.textContent = error.message;
    }
  }
  return h("form", { class: "login card", onsubmit: submit },
    h("h1", {}, "Velostream"),
    h("p", {}, "This server asks for its token. ", h("code", {}, "velo serve"), " names the file that holds it when it starts."),
    h("label", { class: "field" }, h("span", {}, "Token"),
      h("input", { name: "token", type: "password", autocomplete: "off", required: true, spellcheck: "false" })),
    said,
    h("button", { class: "primary", type: "submit" }, "Enter"),
    h("p", { class: "quiet" }, "It stays in this tab, and goes with it."));
}
