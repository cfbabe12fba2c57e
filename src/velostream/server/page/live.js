// The past of jobs, for charts: an hour as the server has seen it, then what the page sees itself.

import { get } from "./api.js";

const KEPT = 1800;
const GAP = 60_000;
const past = new Map();
let asked = false;
let seen = 0;

// Remembers the figures of jobs at one moment.
export function remember(jobs, at = Date.now()) {
  for (const job of jobs) {
    const list = past.get(keyOf(job)) || [];
    if (!list.length || at - list.at(-1).at > 900) list.push({ at, rate: job.rate, lag: job.watermark_lag_seconds, state: job.state_bytes });
    if (list.length > KEPT) list.shift();
    past.set(keyOf(job), list);
  }
}

// Takes over what the server has seen before this page was opened, and again after the page was asleep for a while.
export async function recall(signal) {
  if (seen && Date.now() - seen > GAP) {
    past.clear();
    asked = false;
  }
  seen = Date.now();
  if (asked) return;
  asked = true;
  try {
    const found = await get("/api/v1/recent", {}, { signal });
    for (const one of found.jobs) {
      const own = past.get(`${one.app}/${one.job}`) || [];
      const first = own[0]?.at ?? Infinity;
      const before = one.at.map((at, place) => ({ at: Date.parse(at), rate: one.rate[place], lag: one.watermark_lag_seconds[place], state: one.state_bytes[place] }));
      past.set(`${one.app}/${one.job}`, [...before.filter((each) => each.at < first), ...own]);
    }
  } catch (error) {
    asked = false;
    throw error;
  }
}

// The past of one figure of a job: [[ms, value], …].
export const series = (job, figure) => (past.get(keyOf(job)) || []).map((one) => [one.at, one[figure]]);

const keyOf = (job) => `${job.app}/${job.name}`;

export async function jobs(signal) {
  const [found] = await Promise.all([get("/api/v1/jobs", { limit: 1000 }, { signal }), recall(signal)]);
  remember(found.items);
  return found.items;
}
