// SQL in colours, with findings underlined.

import { h } from "./dom.js";

const PIECES = /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^'\\]|''|\\.)*'?|"(?:[^"\\]|\\.)*"?)|(\b\d[\w.]*)|([A-Za-z_][\w$]*)|(\s+|[^\s\w])/g;
const WORDS = new Set(`ADVANCE AFTER ALL AND ANY AS ASC BETWEEN BY CASE CHANGES CREATE CROSS CUMULATE DELAY DESC DISTINCT DROP EARLY ELSE EMIT END EVERY EXISTS EXPLAIN FALSE FINAL
FOR FROM FULL GROUP HAVING IF IN INNER INSERT INTERVAL INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL OF ON OR ORDER OUTER OVER PARTITION PRIMARY REPLACE RIGHT ROWS SELECT SESSION SET
SLIDING STREAM SYSTEM_TIME TABLE THEN TRUE TUMBLING UNION VALUES VIEW WATERMARK WHEN WHERE WINDOW WITH WITHIN`.split(/\s+/));

// The text as elements: pieces in their colours, split where a finding begins or ends.
export function coloured(text, findings) {
  const marks = places(text, findings);
  const made = [];
  for (const found of text.matchAll(PIECES)) {
    const [piece, note, quoted, number, word] = found;
    const kind = note ? "t-note" : quoted ? "t-text" : number ? "t-number" : word && WORDS.has(word.toUpperCase()) ? "t-word" : "";
    for (const [part, under] of cut(piece, found.index, marks)) {
      const look = [kind, under].filter(Boolean).join(" ");
      made.push(look ? h("span", { class: look }, part) : document.createTextNode(part));
    }
  }
  return made;
}

// Findings as [start, end, severity] in the text.
function places(text, findings) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return findings.filter((one) => one.line && one.line <= starts.length).map((one) => {
    const start = starts[one.line - 1] + one.column - 1;
    const end = one.end_line <= starts.length ? starts[one.end_line - 1] + one.end_column - 1 : text.length;
    return [start, Math.max(end, start + 1), one.severity];
  });
}

function cut(piece, start, marks) {
  const end = start + piece.length;
  const edges = new Set([start, end]);
  for (const [from, to] of marks) for (const edge of [from, to]) if (edge > start && edge < end) edges.add(edge);
  const list = [...edges].sort((a, b) => a - b);
  return list.slice(1).map((to, place) => {
    const from = list[place];
    const over = marks.filter((mark) => mark[0] < to && mark[1] > from);
    const worst = ["error", "warning", "note"].find((severity) => over.some((mark) => mark[2] === severity));
    return [piece.slice(from - start, to - start), worst ? `u-${worst}` : ""];
  });
}
