import { createHash } from "node:crypto";
import { hpaKey } from "../../../lib/model/hpa-key";
import type { Idle, IdleHpa, PollerLease } from "../../../lib/model/stored/idle";
import type { SharedBench } from "./bench";
import { state } from "./samples";

const [a, k, t] = [hpaKey("shop", "a"), hpaKey("shop", "k"), hpaKey("shop", "t")];

const idleHpa = (name: string, more: Partial<IdleHpa> = {}): IdleHpa => ({
  hpa: {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace: "shop", name } },
    spec: {
      ...{ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, minReplicas: 0, maxReplicas: 10 },
      metrics: [{ type: "External", external: { metric: { name: "sqs" }, target: { type: "Value", value: "5" } } }],
    },
  },
  sources: [{ kind: "source", source: "sqs", parameters: { queue: name } }],
  rules: [{ activation: "3" }],
  ...more,
});

/** What the zero-scale poller reads: watched HPAs, their states, and its lease. */
export function idleContract(shared: SharedBench): void {
  const { signal } = shared;
  const shard = (from = "", to: string | null = null) => ({ cluster: shared.cluster, from, to });
  const put = (idle: Idle, range = shard()) => shared.store.putIdle(range, idle, signal);
  const read = (range = shard()) => shared.store.idle(range, signal);

  describe("the watched HPAs", () => {
    test("come back as they were written, with all that they can hold", async () => {
      expect(await read()).toEqual({});
      const full = idleHpa("a", { since: "2026-03-01T12:00:00Z" });
      await put({ [a]: full, [k]: idleHpa("k") });
      expect(await read()).toEqual({ [a]: full, [k]: idleHpa("k") });
    });

    test("of a shard that was split or merged are those of the nearest shard, within its range", async () => {
      await put({ [a]: idleHpa("a"), [t]: idleHpa("t") });
      expect(Object.keys(await read(shard("", k)))).toEqual([a]);
      await put({ [k]: idleHpa("k") }, shard(k));
      expect(Object.keys(await read())).toEqual([a, k]);
      await put({ [t]: idleHpa("t") });
      expect(Object.keys(await read())).toEqual([t]);
    });
  });

  test("watched HPAs that do not fit into an item are named, and the others are written", async () => {
    // Like a token, it does not compress.
    const text = (index: number) =>
      createHash("shake256", { outputLength: 30_000 }).update(`${index}`).digest("base64");
    const some = Array.from({ length: 14 }, (_, index) => hpaKey("crowd", `c${index}`));
    const large = (key: string, index: number) =>
      [
        key,
        idleHpa(key, { sources: [{ kind: "source", source: "sqs", parameters: { queue: text(index) } }] }),
      ] as const;
    const given = { ...Object.fromEntries(some.map(large)), [a]: idleHpa("a") };
    const leftOut = await put(given);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(leftOut.every((key) => some.includes(key))).toBe(true);
    expect(Object.keys(await read()).sort()).toEqual([a, ...some].filter((key) => !leftOut.includes(key)).sort());
    expect(await put({ [a]: idleHpa("a") })).toEqual([]);
  });

  test("states of some HPAs are read together; those that are missing or broken are left out", async () => {
    const { store, bench, cluster } = shared;
    for (const key of [a, k]) await store.putState(cluster, key, state(1), signal);
    await bench.breakState(cluster, k, 1);
    const found = await store.states(cluster, [a, k, t], signal);
    expect([...found.keys()]).toEqual([a]);
    expect(found.get(a)).toEqual(state(1));
    expect((await store.states(cluster, [], signal)).size).toBe(0);
  });

  describe("the watcher's lease", () => {
    const lease = (version: number, holder: string): PollerLease => ({
      ...{ version, holder, minute: 60_000, until: 120_000, next: { holder: "n", minute: 120_000 } },
      spending: { month: "2026-11", spent: 0.000125, slowed: true },
      unread: {
        queries: [
          {
            id: "h",
            cluster: shared.cluster,
            hpa: a,
            metric: "depth",
            error: "access denied",
            since: 60_000,
            readings: 61,
          },
        ],
        more: 1,
      },
      role: "arn:aws:iam::111122223333:role/ebb-prod-WatchRole-1ABC",
    });

    test("is written by one of those who ask, and over the version before it alone", async () => {
      const { store } = shared;
      const before = await store.pollerLease(signal);
      const first = lease((before?.version ?? 0) + 1, "first");
      const taken = await Promise.all([
        store.replacePollerLease(before, first, signal),
        store.replacePollerLease(before, { ...first, holder: "second" }, signal),
      ]);
      expect([...taken].sort()).toEqual([false, true]);
      const held = await store.pollerLease(signal);
      expect(held?.holder).toBe(taken[0] ? "first" : "second");
      expect(await store.replacePollerLease(before, lease(first.version + 1, "late"), signal)).toBe(false);
      const next = lease(first.version + 1, "next");
      expect(await store.replacePollerLease(held, next, signal)).toBe(true);
      expect(await store.pollerLease(signal)).toEqual(next);
    });
  });
}
