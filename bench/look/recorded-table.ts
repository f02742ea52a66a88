import { dayMs, minuteMs } from "../../lib/k8s/time";
import { asHpaKey, hpaKey, type HpaKey } from "../../lib/model/hpa-key";
import { blockMs, columnsOf, flagsOf, type HistorySample, type RosterHpa } from "../../lib/model/stored/history";
import { holdsKey } from "../../lib/model/stored/last-observed";
import type { HistoryRef, Shard } from "../../lib/model/stored/shard";
import { openHistory } from "../../lib/table/history";
import { encodeShard } from "../../lib/table/items/shard-item";
import type { Table } from "../../lib/table/reads";
import { openStore } from "../../lib/table/store";
import { putItems } from "../../lib/table/write-items";
import { type Random, seededRandom } from "../../local/random";
import { at, noon } from "../../test/core/build";
import { fleetOf, type Recorded, recordFleet } from "../../test/web/recorded-fleet";

export const hpas = 10_000;
export const now = at(10);
const days = 14;
/** Blocks are written every three hours: the most minutes that no block has yet. */
const packed = noon - blockMs;
const fleet = fleetOf(hpas, ["eu-prod", "us-prod"]);

/** The one with two weeks of blocks: the last of a shard, which the chain's minutes have last. */
export const watched = ((): { readonly cluster: string; readonly key: HpaKey } => {
  const keys = fleet.filter(({ cluster }) => cluster === "us-prod").map(keyOf);
  return { cluster: "us-prod", key: keys.sort().at(-1) ?? asHpaKey("") };
})();

/** As slots until noon left it: every HPA has another size and another value in each minute. */
export async function recordTable(table: Table, signal: AbortSignal): Promise<void> {
  await recordFleet(table, fleet, signal);
  const random = seededRandom(1);
  const shards = await openStore({ client: table.client, table: table.name, now: () => now }).shards(signal);
  for (const shard of shards) {
    const last = await recordMinutes(table, shard, random, signal);
    await putItems(table, [encodeShard({ ...shard, history: { last, packed, seen: noon } })], signal);
  }
  const first = packed - days * dayMs;
  const blocks = Array.from({ length: (packed - first) / blockMs }, (_, index) => {
    const start = first + index * blockMs;
    const points = Array.from({ length: blockMs / minuteMs }, (_unused, minute) => ({
      ...{ at: start + minute * minuteMs, sample: sampleOf(random), spec: specOf(watched.key) },
    }));
    return { key: watched.key, start, points };
  });
  await openHistory(table, { now: () => noon, days }).putBlocks(watched.cluster, blocks, signal);
}

async function recordMinutes(
  table: Table,
  shard: Shard,
  random: Random,
  signal: AbortSignal,
): Promise<readonly HistoryRef[]> {
  const history = openHistory(table, { now: () => noon, days });
  const keys = fleet.flatMap((one) => (one.cluster === shard.cluster && holdsKey(shard, keyOf(one)) ? keyOf(one) : []));
  const specs = new Map(keys.sort().map((key) => [key, specOf(key)] as const));
  const { hash: roster } = await history.putRoster(shard, specs, undefined, signal);
  let previous: readonly HistoryRef[] = [];
  for (let slot = packed; slot < noon; slot += minuteMs) {
    const columns = columnsOf(keys.map(() => sampleOf(random)));
    await history.putMinute(shard, { slot, roster, previous, columns, known: undefined }, signal);
    previous = [{ from: shard.from, slot }];
  }
  return previous;
}

function keyOf({ namespace, name }: Recorded): HpaKey {
  return asHpaKey(hpaKey(namespace, name));
}

function specOf(key: HpaKey): RosterHpa {
  const name = key.split("/").at(-1) ?? "";
  return {
    target: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 0, maxReplicas: 20, generation: 1, created: Date.parse("2026-02-01T00:00:00Z") },
    metrics: [{ label: `queue(name=${name})`, name: "queue", type: "External", unit: "average", target: 10 }],
  };
}

function sampleOf(random: Random): HistorySample {
  const value = Math.floor(random.between(0, 200));
  const [recommended, current] = [Math.ceil(value / 10), Math.floor(random.between(0, 21))];
  const stabilized = Math.max(recommended, current);
  const flags = flagsOf(stabilized > recommended ? ["stabilization"] : []);
  const metrics = [{ value, averageValue: null }];
  return { ...{ current, desired: stabilized, recommended, stabilized, flags, conditions: 21 }, metrics };
}
