// Small pictures, drawn with strokes in the colour of the text.

import { s } from "./dom.js";

const PATHS = {
  brand: "M2 9c4-5 6 5 10 0s6 5 10 0M2 16c4-5 6 5 10 0s6 5 10 0",
  jobs: "M4 19V9m5 10V5m5 14v-7m5 7V8",
  tables: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
  letters: "M3 6h18v12H3zM3 7l9 6 9-6",
  lineage: "M4 6h5v4H4zM15 4h5v4h-5zM15 15h5v4h-5zM9 8h3V6h3M12 8v9h3",
  advice: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.8.8 1 1.500 1 2.500h6c0-1 .2-1.700 1-2.500A6 6 0 0 0 12 3z",
  editor: "M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16",
  ask: "M4 5h16v11H9l-5 4z",
  keys: "M3 7h18v10H3zM7 10.500h.01M11 10.500h.01M15 10.500h.01M8 14h8",
  theme: "M20 14A8 8 0 1 1 10 4a6.500 6.500 0 0 0 10 10z",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  pause: "M8 5v14M16 5v14",
  play: "M7 4l12 8-12 8z",
  stop: "M6 6h12v12H6z",
  again: "M20 12a8 8 0 1 1-2.500-5.800M20 4v4h-4",
  flush: "M12 3v12M7 11l5 5 5-5M5 20h14",
  back: "M9 6l-6 6 6 6M3 12h18",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  good: "M4 12l5 5L20 6",
  close: "M6 6l12 12M18 6L6 18",
};

export const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
