// Lineage: which column comes from which, from sources over jobs to tables and sinks.

import { get } from "../api.js";
import { h } from "../dom.js";
import { at, curve, placed, sheet } from "../graph.js";
import { empty, select } from "../parts.js";

const WIDTH = 210;
const HEAD = 34;
const LINE = 22;

export function view({ query, draw, poll, signal, go }) {
  const app = query.get("app") || "";
  const state = { chosen: null };
  poll(10, async () => {
    const [apps, graph] = await Promise.all([get("/api/v1/apps", { limit: 1000 }, { signal }), get("/api/v1/lineage", { app }, { signal })]);
    const redraw = () => draw(page(apps.items, graph, app, state, redraw, go));
    redraw();
  });
}

const place = (node, column) => `${node}\u0000${column}`;

function page(apps, graph, app, state, redraw, go) {
  const head = h("div", { class: "row between" }, h("h1", { class: "flat" }, "Lineage"),
    select("Application", app, [["", "all"], ...apps.map((one) => [one.name, one.name])], (name) => go(`lineage${name ? `?app=${encodeURIComponent(name)}` : ""}`)));
  if (!graph.nodes.length) return [head, empty("Nothing is deployed that has a lineage.")];
  if (state.chosen && !graph.nodes.some((node) => node.id === state.chosen.split("\u0000")[0])) state.chosen = null;
  const lit = state.chosen ? reached(graph.edges, state.chosen) : null;
  const nodes = graph.nodes.map((node) => ({ ...node, width: WIDTH, height: HEAD + LINE * node.columns.length + 4 }));
  const links = [...new Set(graph.edges.map((edge) => `${edge.source}\u0000${edge.target}`))].map((each) => ({ from: each.split("\u0000")[0], to: each.split("\u0000")[1] }));
  const { places, width, height } = placed(nodes, links);
  const choose = (node, column) => () => { const wanted = place(node.id, column); state.chosen = state.chosen === wanted ? null : wanted; redraw(); };
  return [head,
    h("p", { class: "quiet" }, state.chosen ? describe(graph, state.chosen) : "Choose a column to see all that it comes from, and all that comes from it. Dashed: it decides about rows (a filter, a key, a join) rather than being in a value."),
    sheet(width, height, curves(graph, nodes, places, lit), nodes.map((node) => box(node, places.get(node.id), state.chosen, lit, choose)), "Lineage")];
}

function curves(graph, nodes, places, lit) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const y = (node, column) => {
    const index = known.get(node).columns.indexOf(column);
    return places.get(node).y + (index < 0 ? HEAD / 2 : HEAD + LINE * index + LINE / 2);
  };
  const drawn = new Map();
  for (const edge of graph.edges) {
    if (!known.has(edge.source) || !known.has(edge.target)) continue;
    const on = lit && lit.has(place(edge.source, edge.source_column)) && (edge.target_column ? lit.has(place(edge.target, edge.target_column)) : lit.has(place(edge.target, "")));
    const kind = `${edge.target_column ? "" : "rows "}${lit ? (on ? "lit" : "faint") : ""}`;
    const [a, b] = [places.get(edge.source), places.get(edge.target)];
    drawn.set(`${on ? 1 : 0}${place(edge.source, edge.source_column)}>${place(edge.target, edge.target_column)}`, [on, curve(a.x + a.width, y(edge.source, edge.source_column), b.x, y(edge.target, edge.target_column), kind)]);
  }
  return [...drawn.values()].sort((a, b) => (a[0] ? 1 : 0) - (b[0] ? 1 : 0)).map(([, path]) => path);
}

function box(node, where, chosen, lit, choose) {
  const faint = lit && !node.columns.some((column) => lit.has(place(node.id, column))) && !lit.has(place(node.id, ""));
  return h("div", { class: `node ${node.kind}${faint ? " faint" : ""}`, style: at(where), "data-key": node.id },
    h("div", { class: "title", title: [node.name, node.place].filter(Boolean).join("\n") }, node.name, h("small", {}, node.kind)),
    node.columns.map((column) => {
      const here = place(node.id, column);
      return h("button", { class: `column${chosen === here ? " chosen" : lit?.has(here) ? " lit" : ""}`, "aria-pressed": String(chosen === here), title: column, onclick: choose(node, column) }, column);
    }));
}

// All columns before and behind one.
const reached = (edges, chosen) => new Set([chosen, ...way(edges, chosen, "target", "source"), ...way(edges, chosen, "source", "target")]);

// All columns that lie on one side of a column, near ones first.
function way(edges, chosen, from, to) {
  const found = new Set();
  const open = [chosen];
  while (open.length) {
    const now = open.shift();
    for (const edge of edges) {
      const next = place(edge[to], edge[`${to}_column`]);
      if (place(edge[from], edge[`${from}_column`]) !== now || found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

// In words: what a column is made of in the end, and where it goes; jobs in between are in the picture.
function describe(graph, chosen) {
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  const words = (which) => [...which].map((each) => each.split("\u0000")).filter(([id]) => known.get(id).kind !== "job").map(([id, column]) => `${known.get(id).name}.${column}`).join(", ");
  const [id, column] = chosen.split("\u0000");
  const [from, to] = [words(way(graph.edges, chosen, "target", "source")), words(way(graph.edges, chosen, "source", "target"))];
  const decides = [...new Set(graph.edges.filter((edge) => edge.source === id && edge.source_column === column && !edge.target_column).map((edge) => `${edge.how} of ${known.get(edge.target).name}`))].join(", ");
  return [h("b", {}, `${known.get(id).name}.${column}`), [from && ` comes from ${from}`, to && ` goes to ${to}`, decides && ` decides about rows: ${decides}`].filter(Boolean).join(";")];
}
