import { seededRandom } from "../../../local/random";
import { dice } from "../stories/dice";
import { interleaved, longestGap, minuteMs, start, pollerWorld } from "../../poller/world";

/**
 * Ten minutes in the life of pollers, drawn from a seed: they come late and twice, their clocks are up to 100 ms off,
 * the table is slow, and queues get work, fail and empty. In troubled stories, some are paused and some crash.
 */
const minutes = 10;
const queues = ["steady", "a", "b", "c", "d"];
const stories = 12;

interface Told {
  readonly world: ReturnType<typeof pollerWorld>;
  /** What went against a promise. */
  readonly broken: readonly string[];
  /** From when to when a queue did not answer, in ms since the start. */
  readonly throttled: readonly { readonly queue: string; readonly from: number; readonly to: number }[];
}

async function live(seed: number, isTroubled: boolean): Promise<Told> {
  const roll = dice(seededRandom(seed));
  const between = (least: number, most: number) => roll.between(least, most);
  const chance = (probability: number) => roll.chance(probability);
  const world = pollerWorld({ queues, latencyMs: () => between(1, isTroubled ? 120 : 40) });
  const broken: string[] = [];
  const throttled: { queue: string; from: number; to: number }[] = [];
  const sizeOf = (queue: string) => world.store.stateItems.get(`prod shop/${queue}`)?.status.desiredReplicas;
  const changedAt = new Map<string, number>();
  const atZeroSince = new Map<string, number>(queues.map((queue) => [queue, 0]));

  for (let minute = 0; minute < minutes; minute++) {
    const comesAt = minute * minuteMs + between(0, minute > 0 && chance(0.2) ? 40_000 : 3_000);
    for (let nth = 0; nth < (chance(0.3) ? 3 : 1); nth++) {
      const at = comesAt + nth * between(0, 20_000);
      world.at(at, () => {
        const process = world.begin(`${minute}.${nth}`, { minute, skewMs: between(-100, 100) });
        if (!isTroubled || chance(0.5)) return;
        world.at(at + between(0, 70_000), () => {
          if (chance(0.5)) process.crash();
          else process.pauseUntil(world.now() + between(100, 100_000));
        });
      });
    }
  }

  for (let moment = 5_000; moment < (minutes - 1) * minuteMs; moment += between(1_000, 15_000)) {
    const queue = roll.pick(["a", "b", "c", "d"]);
    world.at(moment, () => {
      const depth = roll.pick([0, 1, 500, "throttled"]);
      const known = atZeroSince.get(queue);
      const open = throttled.find((one) => one.queue === queue && one.to === Infinity);
      if (depth !== "throttled" && open !== undefined) open.to = moment;
      if (depth === "throttled" && open === undefined) throttled.push({ queue, from: moment, to: Infinity });
      world.depths.set(queue, depth);
      changedAt.set(queue, moment);
      const isWatched = known !== undefined && moment - known > 6_000;
      if (isTroubled || typeof depth === "string" || depth === 0 || !isWatched) return;
      world.at(moment + 3_000, () => {
        if (changedAt.get(queue) === moment && sizeOf(queue) === 0) broken.push(`${queue} still sleeps at ${moment}`);
      });
    });
  }

  // The slots: without work, an HPA goes to zero.
  for (let slot = 15_000; slot < minutes * minuteMs; slot += 15_000) {
    world.at(slot, () => {
      for (const queue of queues) {
        if (world.depths.get(queue) === 0 && sizeOf(queue) !== 0) {
          world.setSize(queue, 0);
          atZeroSince.set(queue, slot);
        } else if (sizeOf(queue) !== 0) atZeroSince.delete(queue);
      }
      world.putShard();
    });
  }
  await world.run(minutes * minuteMs);
  return { world, broken, throttled };
}

/** Each stretch without an answer is reported once at most, and with the moment from which on there was none. */
function checkReports({ world, throttled }: Told): void {
  const open = [...throttled];
  const untrue = world.failures.filter((line) => {
    const [, queue, since = ""] = /^FailedWatch shop\/(\w): .* tries since (\S+): throttled$/.exec(line) ?? [];
    // The line has whole seconds.
    const at = Date.parse(since) - start;
    const index = open.findIndex((one) => one.queue === queue && one.from < at + 1_000 && at < one.to);
    if (index >= 0) open.splice(index, 1);
    return index < 0;
  });
  expect(untrue).toEqual([]);
}

const seeds = Array.from({ length: stories }, (_, index) => index + 1);

/** What holds in every story. */
function check(told: Told): void {
  const { world, broken } = told;
  expect([...world.errors, ...broken]).toEqual([]);
  checkReports(told);
  expect(interleaved(world.reads)).toEqual([]);
  // No reading of "steady" has work, and an unknown one says nothing.
  expect(world.woken.filter(({ key }) => key === "steady")).toEqual([]);
  const { calls } = world.store;
  const used = ["clusters", "idle", "replaceWatchLease", "shards", "states", "watchLease"];
  expect(Object.keys(calls).filter((name) => !used.includes(name))).toEqual([]);
}

test.each(seeds)(
  "story %i: late and duplicate pollers leave no two seconds unread",
  async (seed) => {
    const told = await live(seed, false);
    check(told);
    const steady = told.world.reads.filter(({ queue }) => queue === "steady");
    expect(longestGap(steady, start + minutes * minuteMs)).toBeLessThanOrEqual(2_000);
    // A wake was for work that was there within the last moments.
    const unknown = told.world.woken.filter(({ depth }) => depth === "unknown");
    expect(unknown).toEqual([]);
  },
  20_000,
);

test.each(seeds)(
  "story %i: a crash leaves nobody reading for a minute at most, and what the next one is late",
  async (seed) => {
    const roll = dice(seededRandom(2_000 + seed));
    const world = pollerWorld({ queues, latencyMs: () => roll.between(1, 40) });
    const lateMs = 3_000;
    for (let minute = 0; minute < minutes; minute++) {
      world.at(minute * minuteMs + roll.between(0, lateMs), () => {
        const process = world.begin(`${minute}`, { minute, skewMs: roll.between(-100, 100) });
        // Crashes in a row are an outage: one poller after a crash lives.
        if (minute % 2 === 1) world.at(world.now() - start + roll.between(0, 70_000), process.crash);
      });
    }
    await world.run(minutes * minuteMs);
    expect([...world.errors, ...world.failures]).toEqual([]);
    expect(interleaved(world.reads)).toEqual([]);
    const steady = world.reads.filter(({ queue }) => queue === "steady");
    expect(longestGap(steady, start + minutes * minuteMs)).toBeLessThanOrEqual(minuteMs + lateMs + 2_000);
  },
  20_000,
);

test.each(seeds)(
  "story %i: with crashes and pauses, never two read",
  async (seed) => {
    const told = await live(1_000 + seed, true);
    check(told);
  },
  20_000,
);
