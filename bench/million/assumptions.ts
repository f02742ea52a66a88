/** What nobody publishes: how long services take, and what their answers cost the function that reads them. */

/** In ms: the median, and the spread of a log-normal distribution. One answer of 200 takes 8 times as long. */
export const latencies = {
  item: { median: 4, spread: 0.35 },
  page: { median: 18, spread: 0.35 },
  queueAttributes: { median: 9, spread: 0.4 },
  sendMessages: { median: 12, spread: 0.4 },
  /** A list of 1,000 objects, in the region of the functions. */
  list: { median: 80, spread: 0.3 },
  kubernetes: { median: 15, spread: 0.4 },
} as const;
export type LatencyKind = keyof typeof latencies;

/**
 * CPU time of a whole vCPU, in ms. Chosen so that 1,000 HPAs take what `npm run bench -- rounds` measures: 0.44 s in a
 * steady slot whose contents are kept, 0.7 s in one that loads them, and 3 s when all of them scale.
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
  list: 50,
  kubernetes: 0.7,
  /** Of an invocation itself. */
  invocation: 10,
} as const;

/** INIT runs with a whole vCPU: `npm run bench -- bundle`, and what Lambda adds. */
export const initMs = 250;
/** From a visible message to the handler's begin. */
export const deliveryMs = 20;
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
