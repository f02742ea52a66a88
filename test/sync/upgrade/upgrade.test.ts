import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HpaStatus } from "../../../lib/k8s/hpa";
import { Fault } from "../../../lib/model/fault";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { MetricSources } from "../../../lib/model/ports/sources";
import type { History } from "../../../lib/model/situation";
import type { State } from "../../../lib/model/stored/state";
import { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import type { Item, DecodedItem } from "../../../lib/table/items/attributes";
import { decodeDecision, decodeState, decodeEvents } from "../../../lib/table/items/hpa-items";
import { decodeHpaItem } from "../../../lib/table/items/hpa-document";
import { decodeCluster, decodeSource } from "../../../lib/table/items/resource-items";
import { decodeShard } from "../../../lib/table/items/shard-item";
import { fakeCluster } from "../../fakes/fake-cluster";
import { memoryItems, type MemoryItems } from "../../fakes/memory-items";
import { memoryStore } from "../../fakes/memory-store";
import { metricValue, periodMs, slotAt } from "../sync-fixture";

interface Row {
  readonly slot: number;
  readonly writes: readonly { readonly target: string; readonly from: number; readonly to: number }[];
  readonly lines: readonly string[];
  readonly asked: readonly string[];
  readonly statuses: Readonly<Record<string, HpaStatus>>;
  readonly histories: Readonly<Record<string, History | null>>;
  readonly open: Readonly<Record<string, readonly number[]>>;
}

/** `ongoing`: the last run still goes on, so that the shard's heartbeat is its last observation. */
interface Played extends Row {
  readonly ongoing: Readonly<Record<string, boolean>>;
}

interface Recorded {
  readonly items: readonly Item[];
  readonly scales: Readonly<
    Record<string, { uid: string; replicas: number; resourceVersion: number; selector: string }>
  >;
  readonly depths: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly lateWrites: Readonly<Record<string, { from: number; until: number; landsAt?: number; to?: number }>>;
  readonly snapshotAfter: number;
  readonly after: readonly Row[];
}

const file = join(__dirname, "table-0.1.0.json.gz");
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Recorded;
const { signal } = new AbortController();
const everything = { cluster: "prod", from: "", to: null };

/** The items as today's code reads them. @throws Error for an item that it cannot read. */
function readTable(items: readonly Item[]): MemoryItems {
  const table = memoryItems();
  for (const item of items) {
    const [pk = "", sk = ""] = [item.pk?.S, item.sk?.S];
    const [kind = "", ...rest] = sk.split("#");
    const [name = "", at] = rest;
    const id = `prod ${name}`;
    if (pk === "SHARD") table.shardItems.set(sk, readable(decodeShard(item)));
    else if (kind === "CLUSTER") table.clusterEntries.set("prod", decodeCluster(item));
    else if (kind === "SOURCE") table.sourceEntries.set(id, decodeSource(item));
    else if (kind === "HPA") table.documents.set(id, decodeHpaItem(item).document);
    else if (kind === "STATE") table.stateItems.set(id, readable(decodeState(item)));
    else if (kind === "EVENTS") table.eventItems.set(id, readable(decodeEvents(item)));
    else if (at !== undefined) table.decisions.push({ ...readable(decodeDecision(item)), cluster: "prod", key: name });
    else throw new Error(`${pk} ${sk}: not an item of ebb`);
  }
  return table;
}

function readable<T>(item: DecodedItem<T>): T {
  if ("broken" in item) throw new Error(item.broken);
  return item.value;
}

/** Plays the rest of the story with today's code. @returns a row for each slot, as 0.1.0's code recorded them. */
async function play(items: readonly Item[]): Promise<readonly Played[]> {
  const clock = { now: 0 };
  const store = memoryStore(() => clock.now, { items: readTable(items) });
  let slot = recorded.snapshotAfter;
  const cluster = restoredCluster();
  const far: Cluster = {
    ...cluster,
    async externalMetric({ metric: { name } }) {
      const depth = depthAt(name.slice("depth-".length), slot);
      if (depth < 0) throw new Fault("unreachable", "the metrics API does not answer");
      return Promise.resolve([metricValue(name, depth)]);
    },
    async putScale(target, scale, within) {
      const late = recorded.lateWrites[target.name];
      const isLost = late !== undefined && slot >= late.from && slot <= late.until;
      if (isLost) throw new Fault("lost", "the connection broke: not known whether it was done");
      return cluster.putScale(target, scale, within);
    },
  };
  const asked: string[] = [];
  const sources: MetricSources = {
    cloudwatch: {
      isBuiltIn: true,
      keepMs: () => 60_000,
      open: () => ({
        read({ metricName }) {
          asked.push(metricName);
          return Promise.resolve({ items: [metricValue(metricName, depthAt("paid", slot))] });
        },
      }),
    },
  };
  const lines: string[] = [];
  const reporter: Parameters<typeof syncShard>[0]["reporter"] = {
    scaled: ({ namespace, name, from, to }) => void lines.push(`${namespace}/${name} ${from} → ${to}`),
    failed: ({ key, cluster: name, reason }) => void lines.push(`${key ?? name}: ${reason}`),
    recovered: ({ key }) => void lines.push(`${key}: recovered`),
    synced: () => undefined,
    ticked: () => undefined,
  };
  const events = openEventRecorder({ store, reporter });
  const ports = { store, clusters: { connect: () => Promise.resolve(far) }, sources, reporter, events };

  const rows: Played[] = [];
  for (slot++; slot <= recorded.snapshotAfter + recorded.after.length; slot++) {
    for (const [name, { landsAt, to }] of Object.entries(recorded.lateWrites)) {
      const scale = cluster.scales.get(`shop/${name}`);
      if (landsAt !== slot || to === undefined || scale === undefined) continue;
      scale.replicas = to;
      cluster.touch(`shop/${name}`);
    }
    clock.now = slotAt(slot) + 200;
    for (const list of [cluster.writes as unknown[], lines, asked]) list.splice(0);
    const message = { cluster: "prod", from: "", slot: slotAt(slot), until: slotAt(slot) + periodMs };
    await syncShard(ports, message, {
      now: () => clock.now,
      workedMs: () => 0,
      deadline: slotAt(slot) + 60_000,
      signal,
    });
    const { states, brokenStates } = await store.load(everything, signal);
    expect(brokenStates).toEqual({});
    rows.push({
      slot,
      writes: [...cluster.writes].sort((a, b) => (a.target < b.target ? -1 : 1)),
      lines: [...lines].sort(),
      asked: [...asked].sort(),
      // 0.1.0 did not set the generation of an entry that has none.
      statuses: mapOf(states, ({ status: { observedGeneration: _, ...status } }) => status),
      histories: mapOf(states, ({ history }) => history),
      ongoing: mapOf(states, ({ open }) => open),
      open: mapOf(states, ({ intent, earlier = [] }) => (intent ? [intent, ...earlier].map(({ to }) => to) : [])),
    });
  }
  return rows;
}

function restoredCluster() {
  const cluster = fakeCluster();
  // Later resourceVersions are higher than any in the file.
  for (let version = 0; version < 1_000; version++) cluster.add("elsewhere/other", 1);
  for (const [key, scale] of Object.entries(recorded.scales)) cluster.scales.set(key, { ...scale });
  return cluster;
}

function depthAt(metric: string, slot: number): number {
  const changes = Object.entries(recorded.depths[metric] ?? {}).filter(([from]) => Number(from) <= slot);
  return changes.sort(([a], [b]) => Number(a) - Number(b)).at(-1)?.[1] ?? 0;
}

function mapOf<T>(states: Readonly<Record<string, State>>, read: (state: State) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(states).map(([key, state]) => [key, read(state)]));
}

/**
 * 0.1.0's histories. While a last run goes on, the shard's heartbeat has its last observation, whatever was written.
 */
function seenAsIn({ histories, ongoing }: Played, theirs: Row["histories"]): Row["histories"] {
  return Object.fromEntries(
    Object.entries(theirs).map(([key, history]) => {
      const [own, last] = [histories[key]?.recommendations.at(-1), history?.recommendations.at(-1)];
      if (history === null || own === undefined || last === undefined || ongoing[key] !== true) return [key, history];
      const recommendations = [...history.recommendations.slice(0, -1), { ...last, at: own.at }];
      return [key, { ...history, recommendations }];
    }),
  );
}

/** Kubernetes 1.37 shortened the one error that the file has. */
function inNewWords<T>(statuses: T): T {
  return JSON.parse(JSON.stringify(statuses).replaceAll(": must be set and greater than 0", "")) as T;
}

describe("a table that ebb 0.1.0 wrote", () => {
  let rows: readonly Played[];
  beforeAll(async () => {
    rows = await play(recorded.items);
  });

  test("today's code scales as 0.1.0 did, in the same slots", () => {
    // The words of its errors are newer, so what was known to be invalid is news once.
    const isWorded = (line: string) => line === "shop/invalid: InvalidEntry";
    const scalings = ({ slot, writes, lines }: Row) => ({ slot, writes, lines: lines.filter((one) => !isWorded(one)) });
    expect(rows.flatMap(({ lines }) => lines).filter(isWorded)).toHaveLength(1);
    expect(rows.map(scalings)).toEqual(recorded.after.map(scalings));
    expect(recorded.after.flatMap(({ writes }) => writes).length).toBeGreaterThan(30);
  });

  test("every status, history and open intent is as 0.1.0's, after every slot", () => {
    for (const [index, row] of rows.entries()) {
      const { slot, statuses, histories, open } = row;
      const expected = recorded.after[index];
      const known = expected && { ...expected, histories: seenAsIn(row, expected.histories) };
      expect({ slot, statuses, histories, open }).toEqual(
        known && {
          ...{ slot: known.slot, statuses: inNewWords(known.statuses), histories: known.histories },
          open: known.open,
        },
      );
    }
  });

  test("a kept reading is asked again when its period is over, not earlier", () => {
    expect(rows.map(({ asked }) => asked)).toEqual(recorded.after.map(({ asked }) => asked));
  });

  test("the story is one that needs the state: without it, other scalings follow", async () => {
    const forgetful = recorded.items.filter(({ sk }) => !sk?.S?.startsWith("STATE#"));
    const writes = (all: readonly Row[]) => all.map((row) => row.writes);
    expect(writes(await play(forgetful))).not.toEqual(writes(recorded.after));
  });
});
