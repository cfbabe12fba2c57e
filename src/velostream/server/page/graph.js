// Graphs as boxes in columns from left to right, with curves between them.

import { h, s } from "./dom.js";

const GAP_X = 44;
const GAP_Y = 22;
const MARGIN = 20;

// Places boxes. `nodes`: [{id, width, height}], `edges`: [{from, to}] of ids; each stands right of all that lead to it.
export function placed(nodes, edges) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round++) {
    let moved = false;
    for (const { from, to } of edges) {
      if (from !== to && layer.has(from) && layer.has(to) && layer.get(to) < layer.get(from) + 1 && layer.get(from) < nodes.length) {
        layer.set(to, layer.get(from) + 1);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const fed = new Set(edges.map((edge) => edge.to));
  for (const node of nodes) {
    const next = edges.filter((edge) => edge.from === node.id).map((edge) => layer.get(edge.to));
    if (!fed.has(node.id) && next.length) layer.set(node.id, Math.max(0, Math.min(...next) - 1));
  }
  const columns = [];
  for (const node of nodes) (columns[layer.get(node.id)] ||= []).push(node);
  const tidy = columns.filter(Boolean);
  order(tidy, edges);
  return laid(tidy);
}

// Nodes of a column in the order of what leads to them, so that few curves cross.
function order(columns, edges) {
  const into = new Map();
  for (const { from, to } of edges) into.set(to, [...(into.get(to) || []), from]);
  const rank = new Map();
  columns.forEach((column, place) => {
    if (place) {
      const mean = (node) => {
        const from = (into.get(node.id) || []).map((id) => rank.get(id)).filter((each) => each !== undefined);
        return from.length ? from.reduce((a, b) => a + b, 0) / from.length : 1e6;
      };
      column.sort((a, b) => mean(a) - mean(b));
    }
    column.forEach((node, index) => rank.set(node.id, index));
  });
}

function laid(columns) {
  const heights = columns.map((column) => column.reduce((sum, node) => sum + node.height + GAP_Y, -GAP_Y));
  const tallest = Math.max(0, ...heights);
  const places = new Map();
  let x = MARGIN;
  columns.forEach((column, place) => {
    let y = MARGIN + (tallest - heights[place]) / 2;
    for (const node of column) {
      places.set(node.id, { x, y, width: node.width, height: node.height });
      y += node.height + GAP_Y;
    }
    x += Math.max(...column.map((node) => node.width)) + GAP_X;
  });
  return { places, width: x - GAP_X + MARGIN, height: tallest + 2 * MARGIN };
}

export function curve(x1, y1, x2, y2, kind) {
  const bend = Math.max(30, Math.abs(x2 - x1) / 2);
  return s("path", { class: `edge ${kind || ""}`, d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}` });
}

const SMALLEST = 0.66;
const READ = 0.9;

// The sheet that boxes lie on, with curves beneath them; made smaller to fit where it can still be read, else it scrolls.
export function sheet(width, height, curves, boxes, label) {
  const room = document.getElementById("main").clientWidth - 46;
  const fit = Math.min(1, room / width);
  const scale = fit < SMALLEST ? READ : fit;
  return h("div", { class: "graph", role: "group", "aria-label": label, tabindex: "0", style: { height: `${height * scale + 16}px` } },
    h("div", { class: "sheet", style: { width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` } },
      s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, curves), boxes));
}

export const at = (place) => ({ left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`, height: `${place.height}px` });
