/** What nobody publishes: how long services take, and what their answers cost the function that reads them. */

/** In ms: the median, and the spread of a log-normal distribution. One answer of 200 takes 8 times as long. */
export const latencies = {
  item: { median: 4, spread: 0.35 },
  page: { median: 18, spread: 0.35 },
  queueAttributes: { median: 9, spread: 0.4 },
  sendMessages: { median: 12, spread: 0.4 },
  /** GetMetricData of a hundred metrics. */
  metricData: { median: 60, spread: 0.5 },
  /** A list of 1,000 objects, in the region of the functions. */
  list: { median: 80, spread: 0.3 },
  kubernetes: { median: 15, spread: 0.4 },
} as const;
export type LatencyKind = keyof typeof latencies;

/**
 * CPU time of a whole vCPU, in ms. With these, 1,000 HPAs take 0.43 s in a steady slot, 0.27 s more to load their
 * shard, and 3.4 s more if all of them scale: about three times what bench/results/rounds.md has (0.14 s, and 1.14 s).
 */
export const cpu = {
  item: 0.3,
  page: 1,
  /** For each 4 KB of a page: decoding entries and states. */
  pageUnit: 0.45,
  write: 0.4,
  /** With the decision that follows. */
  queueAttributes: 0.37,
  sendMessages: 0.3,
  /** GetMetricData with the SDK's client, and for each of its metrics. */
  metricData: 1,
  metric: 0.02,
  list: 50,
  kubernetes: 0.7,
  /** Of an invocation itself. */
  invocation: 10,
} as const;

/** INIT runs with a whole vCPU: `npm run bench -- bundle`, and what Lambda adds. */
export const initMs = 250;
/** From a visible message to the handler's begin. */
export const deliveryMs = 20;

/**
 * Which of the warm environments gets an invocation. "last": the one that was busy last, so few stay warm and each
 * knows what it did. "random": any. bench/results/at-scale.md has both.
 */
export type WarmChoice = "last" | "random";

/**
 * A poller whose invocation is refused does not try it again: its messages are hidden until the queue's visibility
 * timeout, and count as received. It receives no others for 0.1 s, 0.2 s, … 10 s. AWS says that messages return after
 * the timeout, and that the event source mapping backs off, and not how fast.
 */
export const refusedRetryMs = { first: 100, longest: 10_000 };
/**
 * An event that Lambda cannot hand over is tried again after 1 s, 2 s, … 5 minutes
 * (lambda/latest/dg/invocation-async-error-handling).
 */
export const throttledEventMs = { first: 1_000, longest: 300_000 };
/** When within its minute the schedule fires. AWS promises a minute; most come within seconds. */
export const scheduleMs = 2_000;

/** Uniform numbers in [0, 1), the same in each run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function latencyOf(kind: LatencyKind, random: () => number): number {
  const { median, spread } = latencies[kind];
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal) * (random() < 0.005 ? 8 : 1);
}
