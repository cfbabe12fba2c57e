// Figures and times as people read them.

const whole = new Intl.NumberFormat("en");
const UNITS = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];

export const count = (value) => (value === null || value === undefined ? "–" : whole.format(value));

// A number of things: `1 batch`, `2 batches`.
export const some = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;

export function short(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  for (const [unit, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return `${(value / unit).toFixed(size >= 100 * unit ? 0 : 1)}${sign}`;
  }
  return size === 0 ? "0" : size < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

export const rate = (value) => (value === null || value === undefined ? "–" : `${short(value)}/s`);

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  for (const [unit, sign] of [[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"]]) {
    if (value >= unit) return `${(value / unit).toFixed(1)} ${sign}`;
  }
  return `${Math.round(value)} B`;
}

// Seconds as `1m 20s`: the two largest units.
export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds === 0) return "0s";
  if (Math.abs(seconds) < 1) return `${Math.round(seconds * 1000)}ms`;
  if (Math.abs(seconds) < 10) return `${Math.round(seconds * 10) / 10}s`;
  let left = Math.round(Math.abs(seconds));
  const parts = [];
  for (const [unit, sign] of UNITS) {
    const amount = Math.floor(left / unit);
    left -= amount * unit;
    if (amount || parts.length) parts.push(amount ? `${amount}${sign}` : "");
    if (parts.length === 2) break;
  }
  return (seconds < 0 ? "−" : "") + parts.filter(Boolean).join(" ");
}

export const micros = (value) => span(value === null || value === undefined ? null : value / 1e6);

// A moment, in UTC as everywhere: time alone for today, with the date otherwise.
export function moment(text) {
  if (!text) return "–";
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const iso = at.toISOString();
  const time = iso.slice(11, iso.endsWith(".000Z") ? 19 : 23);
  return iso.slice(0, 10) === new Date().toISOString().slice(0, 10) ? time : `${iso.slice(0, 10)} ${time}`;
}

export const clock = (at) => new Date(at).toISOString().slice(11, 19);

export const ago = (text) => (text ? `${span(Math.max(0, (Date.now() - new Date(text).getTime()) / 1000))} ago` : "–");

export const percent = (part, all) => (all ? `${(100 * part / all).toFixed(part && part / all < 0.01 ? 2 : 1)} %` : "–");
