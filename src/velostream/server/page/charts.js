// Charts as SVG: lines over time, bars of a histogram, small lines in tables.

import { h, s } from "./dom.js";
import { clock } from "./format.js";

export const COLOURS = 8;

const WIDE = 600;

// Lines over time. `series`: [{name, points: [[ms, value], …]}]; values that are null leave a gap. `round` makes a round
// number of the largest value: the top of the chart.
export function lineChart({ title, series, format, round = nice, empty = "nothing measured yet", height = 150 }) {
  const shown = series.filter((one) => one.points.some(([, value]) => value !== null));
  const points = shown.flatMap((one) => one.points);
  const head = h("figcaption", {}, h("b", {}, title), legend(shown, format));
  if (!points.length) return h("figure", { class: "chart" }, head, h("p", { class: "quiet center" }, empty));
  const [first, last] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
  const top = round(Math.max(...points.map((p) => p[1] ?? 0)));
  const x = (at) => (last === first ? WIDE : ((at - first) / (last - first)) * WIDE);
  const y = (value) => height - (value / top) * height;
  const lines = shown.map((one) => line(one, x, y, height, shown.length === 1));
  const grid = [0.25, 0.5, 0.75].map((part) => s("line", { class: "grid", x1: 0, x2: WIDE, y1: height * part, y2: height * part }));
  const area = s("svg", { viewBox: `0 0 ${WIDE} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, grid, lines);
  const plot = h("div", { class: "plot", onmousemove: (event) => hover(event, shown, first, last, format), onmouseleave: leave },
    area, h("span", { class: "cross" }), h("span", { class: "tip" }),
    h("span", { class: "y top" }, format(top)), h("span", { class: "y mid" }, format(top / 2)));
  return h("figure", { class: "chart" }, head, plot, h("div", { class: "x" }, h("span", {}, clock(first)), h("span", {}, "UTC"), h("span", {}, clock(last))));
}

function legend(shown, format) {
  return h("ul", { class: "legend" }, shown.map((one, place) => {
    const now = one.points.at(-1)?.[1];
    return h("li", {}, h("i", { class: `dot c${(one.colour ?? place) % COLOURS}` }), one.name ? `${one.name} ` : "",
      h("span", { class: "number" }, now === null || now === undefined ? "–" : format(now)));
  }));
}

// Points further apart than this, in milliseconds, have nothing measured between them, such as while no server ran.
function apart(points) {
  const steps = points.slice(1).map(([at], place) => at - points[place][0]).sort((a, b) => a - b);
  return Math.max(60_000, 5 * (steps[Math.floor(steps.length / 2)] ?? 0));
}

function line(one, x, y, height, filled) {
  const parts = [];
  const far = apart(one.points);
  let open = [];
  let before = null;
  for (const [at, value] of [...one.points, [0, null]]) {
    const there = value !== null && value !== undefined;
    if (open.length && (!there || at - before > far)) {
      parts.push(open);
      open = [];
    }
    if (there) open.push(`${x(at).toFixed(1)},${y(value).toFixed(1)}`);
    before = at;
  }
  const colour = `c${(one.colour ?? 0) % COLOURS}`;
  return parts.map((list) => [
    filled && list.length > 1 ? s("polygon", { class: `area ${colour}`, points: `${list[0].split(",")[0]},${height} ${list.join(" ")} ${list.at(-1).split(",")[0]},${height}` }) : null,
    s("polyline", { class: `line ${colour}`, points: list.length > 1 ? list.join(" ") : `${list[0]} ${Number(list[0].split(",")[0]) + 1},${list[0].split(",")[1]}` }),
  ]);
}

function hover(event, shown, first, last, format) {
  const plot = event.currentTarget;
  const box = plot.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  const at = first + part * (last - first);
  const rows = shown.map((one) => {
    const near = one.points.reduce((best, p) => (Math.abs(p[0] - at) < Math.abs(best[0] - at) ? p : best));
    return `${one.name ? `${one.name}  ` : ""}${near[1] === null ? "–" : format(near[1])}`;
  });
  const tip = plot.querySelector(".tip");
  tip.textContent = [clock(at), ...rows].join("\n");
  plot.classList.add("hovered");
  plot.querySelector(".cross").style.left = `${part * 100}%`;
  tip.style.left = part > 0.6 ? "auto" : `calc(${part * 100}% + 10px)`;
  tip.style.right = part > 0.6 ? `calc(${100 - part * 100}% + 10px)` : "auto";
}

const leave = (event) => event.currentTarget.classList.remove("hovered");

// The next round number above: 1, 2, 2.5 or 5 times a power of ten.
export function nice(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= value);
}

const TIMES = [1, 2, 4, 10, 20, 30, 60, 120, 240, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400];

// The same for lengths of time, in seconds, and for bytes: round as people count them.
export const niceTime = (value) => (value <= 0.5 ? nice(value) : TIMES.find((each) => each >= value) ?? nice(value / 86400) * 86400);

export function niceBytes(value) {
  const unit = value > 0 ? 1024 ** Math.floor(Math.log2(value) / 10) : 1;
  return nice(value / unit) * unit;
}

// A small line for a table's cell.
export function spark(points) {
  const values = points.map(([, value]) => value ?? 0);
  if (values.length < 2) return h("span", { class: "spark" });
  const top = Math.max(...values) || 1;
  const text = values.map((value, place) => `${((place / (values.length - 1)) * 80).toFixed(1)},${(19 - (value / top) * 17).toFixed(1)}`);
  return s("svg", { class: "spark", viewBox: "0 0 80 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("polyline", { class: "line c0", points: text.join(" ") }));
}

// Bars: [{label, value, mark, note}]; marked ones stand out.
export function bars(list, format) {
  const top = Math.max(1, ...list.map((one) => one.value));
  return h("div", { class: "bars", role: "img", "aria-label": list.map((one) => `${one.label}: ${one.value}`).join(", ") },
    list.map((one) => h("div", { class: one.mark ? "bar marked" : "bar", title: one.note || `${one.label}: ${format(one.value)}` },
      h("span", { class: "amount" }, one.value ? format(one.value) : ""),
      h("i", { style: { height: `${Math.max(one.value ? 2 : 0, (one.value / top) * 100)}%` } }),
      h("span", { class: "label" }, one.label))));
}

// One bar of parts that add up: [{label, value, kind}].
export function whole(parts, format) {
  const total = parts.reduce((sum, one) => sum + one.value, 0) || 1;
  const there = parts.filter((one) => one.value > 0);
  return h("div", { class: "whole" },
    h("div", { class: "strip", role: "img", "aria-label": there.map((one) => `${one.label}: ${one.value}`).join(", ") },
      there.map((one) => h("i", { class: `k-${one.kind}`, title: `${one.label}: ${format(one.value)}`, style: { "flex-grow": String(one.value / total) } }))),
    h("ul", { class: "legend" }, there.map((one) => h("li", {}, h("i", { class: `dot k-${one.kind}` }), `${one.label} `, h("span", { class: "number" }, format(one.value))))));
}
