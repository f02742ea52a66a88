import { shardHealth, type ShardHealth } from "../../lib/read/shard-health";
import type { Shard } from "../../lib/model/stored/shard";
import { at, noon } from "../core/build";
import { shard } from "../cli/explain/explained";

const auth = { type: "token", secret: "ebb/prod" } as const;
const cluster = (registeredAt?: number, syncPeriodSeconds = 15) => ({
  key: "prod",
  value: {
    name: "prod",
    spec: { auth, options: { syncPeriodSeconds } },
    ...(registeredAt !== undefined && { registeredAt }),
  },
});
const born = { ...shard, slot: 0 };
const gone = { ...shard, failure: 'cluster "prod": expected an item, got none' };

/** The next tick takes up to 90 s, and one period is 15 s. */
const cases: readonly [string, Shard | undefined, ReturnType<typeof cluster>, number, ShardHealth][] = [
  ["registered just now, no shard", undefined, cluster(noon), 1, { kind: "notYet", due: at(105) }],
  ["the same with a period of 10 minutes", undefined, cluster(noon, 600), 104, { kind: "notYet", due: at(690) }],
  ["no shard when one was due", undefined, cluster(noon), 105, { kind: "missing" }],
  ["no shard, and nobody knows since when", undefined, cluster(), 1, { kind: "missing" }],
  ["its shard was created just now", born, cluster(), 104, { kind: "notYet", due: at(105) }],
  ["its shard has never finished a slot", born, cluster(), 105, { kind: "late" }],
  ["registered again, and the shard of the old life", shard, cluster(at(10)), 20, { kind: "notYet", due: at(115) }],
  ["the same after a night", shard, cluster(at(30_000)), 30_010, { kind: "notYet", due: at(30_105) }],
  ["what failed while it was deleted is over", gone, cluster(at(5)), 20, { kind: "notYet", due: at(110) }],
  ["what fails since", gone, cluster(at(-60)), 20, { kind: "fails", failure: gone.failure }],
  ["what fails, and is late", gone, cluster(at(-60)), 80, { kind: "late", lastSlot: noon, failure: gone.failure }],
  ["a slot has finished since", shard, cluster(at(-1)), 20, { kind: "inTime" }],
  [
    "a slot in the second of its registration may be of the old life",
    shard,
    cluster(noon),
    20,
    { kind: "notYet", due: at(105) },
  ],
  [
    "its slot began before it was registered, and ended after",
    { ...shard, heartbeat: at(7) },
    cluster(at(5)),
    20,
    { kind: "inTime" },
  ],
  ["one period and a minute old", shard, cluster(at(-60)), 75, { kind: "inTime" }],
  ["older", shard, cluster(at(-60)), 76, { kind: "late", lastSlot: noon }],
  [
    "registered in the future by a clock that was wrong",
    shard,
    cluster(at(7200)),
    76,
    { kind: "late", lastSlot: noon },
  ],
];

test.each(cases.map(([name, ...given]) => [name, given] as const))("%s", (_, [given, entry, seconds, health]) => {
  expect(shardHealth(given, entry, at(seconds))).toEqual(health);
});
