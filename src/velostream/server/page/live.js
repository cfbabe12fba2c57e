// What the page remembers of jobs while it is open, so that charts have a past, and a clock that asks again.

import { get } from "./api.js";

const KEPT = 900;
const past = new Map();

// Remembers the figures of jobs at one moment.
export function remember(jobs, at = Date.now()) {
  for (const job of jobs) {
    const list = past.get(keyOf(job)) || [];
    if (!list.length || at - list.at(-1).at > 900) list.push({ at, rate: job.rate, lag: job.watermark_lag_seconds, state: job.state_bytes });
    if (list.length > KEPT) list.shift();
    past.set(keyOf(job), list);
  }
}

// The past of one figure of a job: [[ms, value], …].
export const series = (job, figure) => (past.get(keyOf(job)) || []).map((one) => [one.at, one[figure]]);

const keyOf = (job) => `${job.app}/${job.name}`;

export async function jobs(signal) {
  const found = await get("/api/v1/jobs", { limit: 1000 }, { signal });
  remember(found.items);
  return found.items;
}
