import { seededRandom } from "../../../local/random";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { Intent } from "../../../lib/model/stored/state";
import { Fault } from "../../../lib/model/fault";
import type { Cluster } from "../../../lib/model/ports/cluster";
import { itemBytes } from "../../../lib/table/items/attributes";
import { encodeState } from "../../../lib/table/items/hpa-items";
import { asHpaKey } from "../../../lib/model/hpa-key";
import { fixture, queueSpec } from "../../sync/sync-fixture";

/**
 * An API server that reads, and lets every write of a scale time out, for 24 hours of virtual time. Each slot wants
 * another size, so each announces another one. Any of these writes may land as long as the resourceVersion stays.
 */
const slots = 24 * 240;
/** The state beside its intents has less than 2 KB. */
const mostBytes = 8_000;

const spec = (behavior: HpaSpec["behavior"] = {}): HpaSpec => ({
  ...queueSpec,
  maxReplicas: 439,
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 }, ...behavior },
});
const many = [{ type: "Pods" as const, value: 1_000, periodSeconds: 15 }];
const slowly = [{ type: "Pods" as const, value: 500, periodSeconds: 60 }];

/** `land(to)` lets the oldest of the writes to this size land, hours late. */
async function deadDay(behavior: HpaSpec["behavior"], count = slots) {
  const day = fixture({ spec: spec(behavior), replicas: 10 });
  const random = seededRandom(7);
  const pending = new Map<number, () => Promise<unknown>>();
  const announced = new Set<number>();
  let largest = 0;
  const putScale: Cluster["putScale"] = (target, scale) => {
    const to = scale.spec.replicas ?? 0;
    const late = () => day.cluster.putScale(target, scale, new AbortController().signal);
    if (!pending.has(to)) pending.set(to, late);
    return Promise.reject(new Fault("timeout", "no answer within 5 s"));
  };
  const stateBytes = () => itemBytes(encodeState("prod", asHpaKey("shop/orders"), day.state()!));
  for (let slot = 1; slot <= count; slot++) {
    const wanted = slot % 500 === 3 ? 0 : Math.floor(random.between(11, 440));
    day.depth(5 * wanted);
    await day.sync(slot, { cluster: { ...day.cluster, putScale } });
    announced.add(day.state()?.intent?.to ?? -1);
    if (slot % 97 === 0) largest = Math.max(largest, stateBytes());
  }
  expect(day.replicasNow()).toBe(10);
  return { day, announced, pending, largest: Math.max(largest, stateBytes()), next: count + 1 };
}

type Day = Awaited<ReturnType<typeof deadDay>>;

async function land({ pending }: Day, to: number): Promise<void> {
  const write = pending.get(to);
  if (write === undefined) throw new Error(`expected a write to ${to}, got ${[...pending.keys()].join(" ")}`);
  await write();
}

/** Sizes that the state does not name any more. */
function summarized({ day, announced }: Day): readonly number[] {
  const { intent, earlier = [] } = day.state() ?? {};
  const kept = new Set([intent, ...earlier].map((one) => one?.to));
  return [...announced].filter((to) => !kept.has(to));
}

describe("a day of writes without an answer", () => {
  test("keeps a small state, and ends in the next slot after the server answers", async () => {
    const dead = await deadDay({ scaleUp: { policies: many } });
    const { day, announced, largest, next } = dead;
    expect(announced.size).toBeGreaterThan(400);
    expect(largest).toBeLessThan(mostBytes);
    expect(summarized(dead).length).toBeGreaterThan(400);
    const { least = 0, most = 0 } = day.state()?.earlierSizes ?? {};
    for (const to of summarized(dead)) expect(to >= least && to <= most).toBe(true);

    day.depth(5 * 439);
    await day.sync(next);
    expect(day.replicasNow()).toBe(439);
    expect(day.state()).not.toHaveProperty("intent");
    expect(day.state()).not.toHaveProperty("earlierSizes");
  });
});

describe("hours of writes without an answer, one of which is applied at last", () => {
  test("the zero among them is ours, and wakes", async () => {
    const dead = await deadDay({ scaleUp: { policies: many } }, 800);
    await land(dead, 0);
    expect(dead.day.replicasNow()).toBe(0);
    dead.day.depth(50);
    await dead.day.sync(dead.next);
    expect(dead.day.replicasNow()).toBe(10);
  });

  test("a size that nobody names any more counts in the rate limit", async () => {
    const dead = await deadDay({ scaleUp: { policies: slowly } }, 300);
    const [size = 0] = summarized(dead).filter((to) => to > 250 && to < 350);
    const before = dead.day.state()?.earlierSizes;
    await land(dead, size);
    dead.day.depth(5 * 439);
    const sizes: (number | undefined)[] = [];
    for (let slot = 0; slot < 6; slot++) {
      await dead.day.sync(dead.next + slot);
      sizes.push(dead.day.replicasNow());
    }
    // At most 500 more in 60 s. Perhaps the write was the largest one, and somebody has set this size since.
    const { most = 0 } = before ?? {};
    const allowed = size - (most - 10) + 500;
    expect(sizes.slice(0, 4)).toEqual([allowed, allowed, allowed, allowed]);
    expect(sizes.at(-1)).toBe(439);
  });

  test("a second write of them changes nothing", async () => {
    const dead = await deadDay({ scaleUp: { policies: many } }, 60);
    const [first = 0, second = 0] = summarized(dead);
    await land(dead, first);
    await expect(land(dead, second)).rejects.toThrow();
    expect(dead.day.replicasNow()).toBe(first);
  });
});

test("a state that an older version filled with 400 intents gets small with the next announcement", async () => {
  const dead = await deadDay({ scaleUp: { policies: many } }, 2);
  const { day, next } = dead;
  const state = day.state()!;
  const like = state.intent as Intent;
  const earlier = Array.from({ length: 400 }, (_, index) => ({ ...like, to: 30 + index, message: "x".repeat(700) }));
  day.store.stateItems.set("prod shop/orders", { ...state, earlier });
  day.depth(5 * 439);
  const timeout: Cluster["putScale"] = () => Promise.reject(new Fault("timeout", "no answer within 5 s"));
  await day.sync(next, { cluster: { ...day.cluster, putScale: timeout } });
  expect(day.state()?.intent).toMatchObject({ to: 439 });
  expect(day.state()?.earlierSizes).toMatchObject({ least: 45, most: 429 });
  expect(JSON.stringify(day.state()).length).toBeLessThan(20_000);
});
