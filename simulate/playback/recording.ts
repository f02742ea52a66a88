import { openClock } from "../../test/faults/world/clock";
import { enter } from "../../test/faults/world/globals";
import { type Item, memoryTable } from "../../test/faults/world/memory-table";
import { encodeShard } from "../../lib/table/items/shard-item";
import { deploymentsOf, type Deployments } from "../services/api-server";
import { cpu, type LatencyKind, seeded } from "../services/assumptions";
import { openCloudWatchModel } from "../services/cloudwatch";
import { openTableModel } from "../services/dynamodb";
import { syncFunction } from "../functions";
import { type SimulatedRequest, type Listener, openInstance, type Surroundings } from "../services/instance";
import { clusterItem, entryItems, type Load, periodMs, start } from "../load";

/** One request of a recorded slot. */
export interface RecordedRequest extends SimulatedRequest {
  readonly latency: LatencyKind;
}

/** One slot of one shard, alone: every request with its cause. */
export interface Trace {
  readonly asks: readonly RecordedRequest[];
  /** The requests that each answer leads to. */
  readonly next: readonly (readonly number[])[];
  /** Requests that wait for every answer before them, in order: the first group begins the slot. */
  readonly stages: readonly (readonly number[])[];
  /** The write that finishes the slot. */
  readonly finish: number;
  /** What follows from CloudWatch's answer, beside `asks`. */
  readonly onMetrics?: { readonly answered: Writes; readonly throttled: Writes };
}

export interface Writes {
  readonly count: number;
  readonly units: number;
}

/** What 1,000 HPAs (or a part of them) do in every situation, as the real sync does it. */
export interface Recording {
  readonly hpas: number;
  readonly load: Load["name"];
  /**
   * A slot after which nothing changes, by slot modulo 4: values that move are written once a minute,
   * and CloudWatch is read with the first of the four.
   */
  readonly steady: readonly Trace[];
  /** The slots from the burst on. */
  readonly burst: readonly Trace[];
  /** The slot after one that was never finished: every state is written. */
  readonly afterGap: Trace;
  /** The first slots of new entries. */
  readonly first: readonly Trace[];
  /** Of a load that is on CloudWatch: the slot after one in which it throttled the shard's call. */
  readonly unread?: Trace;
  /** The table and the Deployments before slot `snapshotSlot`, to go on from. */
  readonly items: readonly Item[];
  readonly deployments: Deployments;
}

/** Simulations begin with this slot: the minute before it is the first tick's. */
export const snapshotSlot = 8;
export const template = "recorded";

/** Runs the real sync for one shard on services without limits. */
export async function record(name: Load["name"], hpas: number): Promise<Recording> {
  const clock = openClock(start);
  enter(clock);
  const random = seeded(7);
  let isThrottled = false;
  const unlimited = { reads: 1e9, writes: 1e9 };
  const around: Surroundings = {
    clock,
    table: openTableModel(unlimited, unlimited),
    cloudwatch: { ...openCloudWatchModel(1e9), admit: () => !isThrottled },
    random,
    counts: new Map(),
    pausedUntil: 0,
  };
  const instance = openInstance(1_769, around);
  const table = memoryTable({ now: () => clock.now });
  const put = (Item: Item) => table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  for (const item of [clusterItem(template), ...entryItems(template, hpas, { name })]) put(item);
  const shard = {
    cluster: template,
    from: "",
    to: null,
    version: 1,
    slot: start - periodMs,
    heartbeat: start - periodMs,
  };
  put(encodeShard({ ...shard, behind: {}, entries: 0 }));
  const deployments = deploymentsOf(hpas);
  const burstFrom = snapshotSlot + 4;
  const load: Load = { name, burstFrom };
  const sync = syncFunction(
    {
      ...{ table, load, now: () => Math.floor(clock.now), sent: () => undefined },
      ...{ deploymentsOf: () => deployments, synced: () => undefined, ticked: () => undefined },
      onProblem: (text) => {
        if (!isThrottled) throw new Error(`the recorded slot failed: ${text}`);
      },
    },
    instance,
  );

  async function slotOf(index: number): Promise<Trace> {
    const slot = start + index * periodMs;
    await clock.runUntil(slot + 100);
    const recorder = openRecorder();
    instance.listener = recorder;
    const body = JSON.stringify({ cluster: template, from: "", slot, until: slot + periodMs });
    let failed: readonly number[] | undefined;
    void sync([body]).then((places) => void (failed = places));
    await clock.runUntil(slot + periodMs - 1);
    if (failed?.length !== 0) throw new Error(`slot ${index} of the recording was not finished in time`);
    return recorder.trace();
  }

  const traces: Trace[] = [];
  for (let index = 0; index < snapshotSlot; index += 1) traces.push(await slotOf(index));
  const pk = `CLUSTER#${template}`;
  const items = [...table.items(pk), ...table.items("SHARD")];
  const kept: Deployments = { ...deployments, replicas: new Map(deployments.replicas) };
  for (let index = snapshotSlot; index < burstFrom + 4; index += 1) traces.push(await slotOf(index));
  const gap = await slotOf(burstFrom + 6);

  const played = traces.map(inRows);
  const steady = [0, 1, 2, 3].map((phase) => played[snapshotSlot + phase] as Trace);

  /** Of its HPAs, each says in its state that it was not read, why it does not scale, and in an event. */
  async function throttledSlots() {
    for (let index = burstFrom + 7; index < burstFrom + 10; index += 1) await slotOf(index);
    isThrottled = true;
    const first = writesOf(await slotOf(burstFrom + 10));
    const still = writesOf(await slotOf(burstFrom + 11));
    isThrottled = false;
    const again = await slotOf(burstFrom + 12);
    const read = { answered: none, throttled: difference(first, writesOf(traces[snapshotSlot] as Trace)) };
    const unread = { ...inRows(withoutWrites(again)), onMetrics: { answered: writesOf(again), throttled: still } };
    return { steady: steady.map((each, phase) => (phase === 0 ? { ...each, onMetrics: read } : each)), unread };
  }

  const isOnCloudWatch = gap.asks.some(({ metrics }) => metrics !== undefined);
  const slots = isOnCloudWatch ? await throttledSlots() : { steady };
  return {
    ...{ hpas, load: name, items, deployments: kept },
    ...slots,
    burst: played.slice(burstFrom, burstFrom + 4),
    first: played.slice(0, 2),
    afterGap: inRows(gap),
  };
}

function openRecorder(): Listener & { trace(): Trace } {
  const issued: { readonly latency: LatencyKind; ask?: SimulatedRequest }[] = [];
  const next: number[][] = [];
  const stages: number[][] = [[]];
  let because: number | undefined;
  let open = 0;
  return {
    issued(latency) {
      const number = issued.push({ latency }) - 1;
      next.push([]);
      open += 1;
      // Nothing else was under way when its cause was answered: it may have waited for all of them.
      (because === undefined ? stages.at(-1) : next[because])!.push(number);
      return number;
    },
    arrived: (number, ask) => void (issued[number]!.ask = ask),
    answered(number) {
      open -= 1;
      if (open > 0) return void (because = number);
      because = undefined;
      stages.push([]);
    },
    trace() {
      const asks = issued.map(({ latency, ask }): RecordedRequest => {
        if (ask === undefined) throw new Error("a recorded request never arrived");
        return { ...ask, latency };
      });
      const finish = asks.findLastIndex(
        ({ units, operation }) => units?.partition === "SHARD" && operation.endsWith("PutItem"),
      );
      return { asks, next, stages: stages.filter(({ length }) => length > 0), finish };
    },
  };
}

/** Requests in a row that are played as one. */
const mostInARow = 8;

/**
 * The same slot with fewer events: requests of one kind that follow each other, as those of one place in a lane do, are
 * one. Together they take the same time, units and CPU.
 */
export function inRows({ asks, next, stages, finish }: Trace): Trace {
  const into = asks.map((_, at) => at);
  const rows = asks.map(({ times = 1, ...ask }) => ({ ...ask, times }));
  const after = next.map((each) => [...each]);
  for (let at = asks.length - 1; at >= 0; at -= 1) {
    const [only, ...others] = after[at] ?? [];
    if (only === undefined || others.length > 0 || only === finish || at === finish) continue;
    const [row, following] = [rows[at]!, rows[only]!];
    if (row.operation !== following.operation || row.times + following.times > mostInARow) continue;
    if (row.metrics !== undefined) continue;
    if (row.units?.partition !== following.units?.partition) continue;
    row.times += following.times;
    row.cpuMs += following.cpuMs;
    if (row.units !== undefined && following.units !== undefined)
      row.units = {
        ...row.units,
        reads: row.units.reads + following.units.reads,
        writes: row.units.writes + following.units.writes,
      };
    after[at] = after[only] ?? [];
    into[only] = -1;
  }
  const kept = into.filter((at) => at !== -1);
  const place = new Map(kept.map((at, index) => [at, index]));
  const renamed = (each: readonly number[]) => each.flatMap((at) => place.get(at) ?? []);
  return {
    asks: kept.map((at) => rows[at] as RecordedRequest),
    next: kept.map((at) => renamed(after[at] ?? [])),
    stages: stages.map(renamed).filter(({ length }) => length > 0),
    finish: place.get(finish) as number,
  };
}

/** What the requests of a trace take of a whole vCPU, in ms. */
export const cpuOf = ({ asks }: Trace): number => asks.reduce<number>((sum, { cpuMs }) => sum + cpuMs, cpu.invocation);

const none: Writes = { count: 0, units: 0 };
const difference = (a: Writes, b: Writes): Writes => ({ count: a.count - b.count, units: a.units - b.units });
const isOfHpa = ({ units }: RecordedRequest) => (units?.writes ?? 0) > 0 && units?.partition !== "SHARD";

/**
 * What the HPAs of a shard write, without the values of all of them, which are one item. Decisions count as units
 * alone, because a request records many of them.
 */
function writesOf({ asks }: Trace): Writes {
  const writes = asks.filter((ask) => isOfHpa(ask) && !ask.operation.endsWith(" of values"));
  return {
    count: writes.filter(({ operation }) => operation === "dynamodb PutItem").length,
    units: writes.reduce((sum, { units }) => sum + (units?.writes ?? 0), 0),
  };
}

function withoutWrites(trace: Trace): Trace {
  const { asks, next } = trace;
  const isLeftOut = (at: number) =>
    isOfHpa(asks[at] as RecordedRequest) && /PutItem$| of decisions$/.test(asks[at]?.operation ?? "");
  const following = (at: number): readonly number[] => (isLeftOut(at) ? (next[at] ?? []).flatMap(following) : [at]);
  const kept = asks.flatMap((_, at) => (isLeftOut(at) ? [] : [at]));
  const place = new Map(kept.map((at, index) => [at, index]));
  const renamed = (each: readonly number[]) => each.flatMap(following).map((at) => place.get(at) as number);
  return {
    asks: kept.map((at) => asks[at] as RecordedRequest),
    next: kept.map((at) => renamed(next[at] ?? [])),
    stages: trace.stages.map(renamed).filter(({ length }) => length > 0),
    finish: place.get(trace.finish) as number,
  };
}

/** How often each operation is in a trace. */
export function countsOf({ asks, onMetrics }: Trace): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { operation, times = 1 } of asks) counts[operation] = (counts[operation] ?? 0) + times;
  if (onMetrics !== undefined)
    counts["dynamodb PutItem"] = (counts["dynamodb PutItem"] ?? 0) + onMetrics.answered.count;
  return counts;
}
