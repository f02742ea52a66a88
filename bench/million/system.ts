import { openClock } from "../../test/faults/world/clock";
import { enter } from "../../test/faults/world/globals";
import { type Item, type ItemWrite, memoryTable } from "../../test/faults/world/memory-table";
import { decodeQueueMessage, type SlotMessage } from "../../lib/model/messages";
import { longestKeptMs } from "../../lib/sync/turn/kept-contents";
import { deploymentsOf, type Deployments } from "./api-server";
import { cpu, scheduleMs, seeded } from "./assumptions";
import { openTableModel } from "./dynamodb";
import { type Message, openEventSource, type Params, type Worker } from "./event-source";
import { type SyncFunction, syncFunction, tickFunction, type Wiring } from "./functions";
import { type Instance, openInstance, type Surroundings } from "./instance";
import { clusterItem, type Load, periodMs, start } from "./load";
import { countsOf, type Recording, snapshotSlot, template, type Trace } from "./recording";
import { play, type Playing } from "./replay";
import { openTally, type SlotFigures } from "./tally";

export interface Scenario {
  readonly name: string;
  readonly clusters: number;
  readonly params: Params;
  readonly load: Load["name"];
  /** Largest first: a shard that was split plays the one nearest to its size. */
  readonly recordings: readonly Recording[];
  /** Clusters whose shards the real sync runs; the others are played back. */
  readonly realClusters: number;
  readonly minutes: number;
  /** The slot in which one HPA of a hundred needs eight times its replicas. */
  readonly hasBurst?: boolean;
  /** No service answers for a minute. */
  readonly hasPause?: boolean;
  /** The entries are new: there are no shards and no states. */
  readonly isNew?: boolean;
}

export interface Outcome {
  readonly slots: readonly SlotFigures[];
  readonly tick: { readonly seconds: readonly number[]; readonly shards: number };
  readonly requests: Readonly<Record<string, number>>;
  /** The last minute alone: functions have started, and what they missed meanwhile is made up for. */
  readonly lastMinute: Pick<Outcome, "requests" | "used">;
  readonly peaks: {
    readonly table: { readonly reads: number; readonly writes: number };
    readonly shards: { readonly reads: number; readonly writes: number };
    readonly cluster: { readonly reads: number; readonly writes: number };
    readonly throttled: number;
    readonly concurrency: number;
    readonly inFlight: number;
    readonly queueReads: number;
  };
  readonly used: {
    reads: number;
    writes: number;
    invocations: number;
    gbSeconds: number;
    starts: number;
    received: number;
  };
  readonly seconds: number;
  /** Slots that a process synced, and in how many of them it had loaded that shard within the last two minutes. */
  readonly loads: { slots: number; recent: number };
  /** Slots of the real sync, and how many sent exactly the requests of their recording. */
  readonly real: {
    readonly slots: number;
    readonly same: number;
    readonly different: readonly string[];
    readonly problems: readonly string[];
  };
}

/** The burst and the pause begin with this slot of the simulation. */
const eventSlot = 4;

/** Simulates `minutes` after a first one that only ticks. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  const { clusters, params, recordings, realClusters, isNew = false } = scenario;
  const recording = recordings[0] as Recording;
  const epoch = start + snapshotSlot * periodMs - 60_000;
  const clock = openClock(epoch);
  enter(clock);
  const random = seeded(11);
  const model = openTableModel(params.table);
  const counts = new Map<string, number>();
  const around: Surroundings = { clock, table: model, random, counts, pausedUntil: 0 };
  const tally = openTally(periodMs);
  const owed = new Map<string, number>();
  let isOpen = false;
  const nameAt = (at: number) => `cluster-${String(at).padStart(4, "0")}`;
  const real = new Map<string, Deployments>();
  const table = memoryTable({ now: () => clock.now, onWrite: (write) => noteFinish(write) });
  const put = (Item: Item) => table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
  function noteFinish({ pk, before, after }: ItemWrite): void {
    if (!isOpen || pk !== "SHARD" || after === undefined || after["slot"]?.N === before?.["slot"]?.N) return;
    const cluster = after["cluster"]?.S ?? "";
    const behind = real.has(cluster) ? Object.keys(after["behind"]?.M ?? {}).length : (owed.get(idOf(after)) ?? 0);
    const slot = Number(after["slot"]?.N);
    if (slot > 0) tally.finished(idOf(after), slot, clock.now, behind);
  }

  for (let at = 0; at < clusters; at += 1) {
    const cluster = nameAt(at);
    put(clusterItem(cluster));
    const isReal = at % Math.ceil(clusters / realClusters) === 0;
    if (isReal)
      real.set(cluster, { ...deploymentsOf(recording.hpas), replicas: new Map(recording.deployments.replicas) });
    for (const item of recording.items) {
      const isShard = item["pk"]?.S === "SHARD";
      const isEntry = item["sk"]?.S?.startsWith("HPA#") === true;
      if (isShard ? !isNew : isReal && (isEntry || !isNew) && item["sk"]?.S !== "CLUSTER") put(copied(item, cluster));
    }
  }

  isOpen = true;

  const eventAt = start + (snapshotSlot + eventSlot) * periodMs;
  const load: Load = {
    name: scenario.load,
    ...(scenario.hasBurst === true && { burstFrom: snapshotSlot + eventSlot }),
  };
  const problems: string[] = [];
  const wiring: Wiring = {
    ...{ table, load, now: () => Math.floor(clock.now) },
    sent: (body, delaySeconds) => {
      const { cluster, from, slot } = decodeQueueMessage(body) as SlotMessage;
      tally.planned(`${cluster}#${from}`, slot);
      clock.after(delaySeconds * 1_000, undefined, () => source.show({ body, receives: 0 }));
    },
    deploymentsOf: (cluster) => real.get(cluster) as Deployments,
    synced: () => undefined,
    ticked: ({ shards }) => void (tick.shards = shards),
    onProblem: (text) => void problems.push(text.slice(0, 200)),
  };

  const seen = new Map<Worker, Set<string>>();
  const loadedAt = new Map<Worker, Map<string, number>>();
  const loads = { slots: 0, recent: 0 };
  const finishedSlots = new Map<string, number>();
  const realFunctions = new Map<Worker, { readonly sync: SyncFunction; readonly counts: Map<string, number> }>();
  const realSlots = { slots: 0, same: 0, different: [] as string[] };

  function traceOf(id: string, shard: Item, slot: number): Trace {
    const entries = Number(shard["entries"]?.N ?? 0) || recording.hpas;
    const fits = recordings.reduce((best, one) => (far(one, entries) < far(best, entries) ? one : best));
    const index = (slot - start) / periodMs;
    const last = Number(shard["slot"]?.N ?? 0);
    const age = finishedSlots.get(id) ?? 0;
    if (isNew && age < 2) return fits.first[age] as Trace;
    if (last > 0 && last < slot - periodMs) return fits.afterGap;
    const sinceBurst = index - snapshotSlot - eventSlot;
    if (scenario.hasBurst === true && sinceBurst >= 0 && sinceBurst < 4) return fits.burst[sinceBurst] as Trace;
    return fits.steady[index % 4] as Trace;
  }
  const far = ({ hpas }: Recording, entries: number) => Math.abs(Math.log(hpas / Math.max(1, entries)));

  function playOne(
    { instance }: Worker,
    { cluster, from, slot, until }: SlotMessage,
    known: Pick<Playing, "isCold" | "isNew">,
  ): Promise<boolean> {
    const id = `${cluster}#${from}`;
    const shard = table.item("SHARD", id);
    if (clock.now >= until || shard === undefined || Number(shard["slot"]?.N) >= slot) return Promise.resolve(false);
    const workedBefore = instance.workedMs;
    const partition = `CLUSTER#${cluster}`;
    return new Promise((resolve) => {
      const finish = (behind: number) => {
        const found = table.item("SHARD", id);
        if (found === undefined || Number(found["slot"]?.N) >= slot) return;
        owed.set(id, behind);
        finishedSlots.set(id, (finishedSlots.get(id) ?? 0) + 1);
        const worked = Math.min(instance.workedMs - workedBefore, periodMs);
        const workedMs = Math.round((3 * Number(found["workedMs"]?.N ?? 0) + worked) / 4);
        const entries = Number(found["entries"]?.N) || recording.hpas;
        put({
          ...found,
          ...numbers({ slot, heartbeat: Math.floor(clock.now), workedMs, entries }),
          version: next(found),
        });
      };
      const trace = traceOf(id, shard, slot);
      play({
        ...{ trace, instance, clock, partition, until, finish, done: resolve },
        ...known,
        owed: owed.get(id) ?? 0,
      });
    });
  }

  async function realOne(
    worker: Worker,
    body: string,
    message: SlotMessage,
    { isCold, isAlone }: Company,
  ): Promise<boolean> {
    const known = realFunctions.get(worker) ?? countedFunction(wiring, worker.instance);
    realFunctions.set(worker, known);
    const id = `${message.cluster}#${message.from}`;
    const shard = table.item("SHARD", id);
    const isLate = clock.now >= message.until || shard === undefined || Number(shard["slot"]?.N) >= message.slot;
    const throttledBefore = model.throttled;
    const before = new Map(known.counts);
    const failed = (await known.sync([body])).length > 0;
    const after = table.item("SHARD", id);
    const isFinished = Number(after?.["slot"]?.N) === message.slot;
    const isWhole = isFinished && Object.keys(after?.["behind"]?.M ?? {}).length === 0;
    const trace = shard && traceOf(id, shard, message.slot);
    const hadBehind = Object.keys(shard?.["behind"]?.M ?? {}).length > 0;
    if (isFinished && !isLate) finishedSlots.set(id, (finishedSlots.get(id) ?? 0) + 1);
    if (
      !isAlone ||
      isLate ||
      failed ||
      trace === undefined ||
      !isWhole ||
      hadBehind ||
      model.throttled > throttledBefore
    )
      return failed;
    const expected = { ...countsOf(trace) };
    if (isCold) Object.assign(expected, { "kubernetes GET discovery": 1 });
    else delete expected["kubernetes GET discovery"];
    const got = Object.fromEntries(
      [...known.counts]
        .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
    const unsure = Object.hasOwn(expected, "kubernetes PUT scale") ? whenScaling : ofProcess;
    realSlots.slots += 1;
    // Values that move are written a minute after the last ones: a late slot shifts that to the next one.
    const text = (of: Readonly<Record<string, number>>) =>
      JSON.stringify(
        Object.entries(of)
          .filter(([name]) => !name.endsWith(" of values") && !unsure.has(name))
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    if (text(expected) === text(got)) realSlots.same += 1;
    else
      realSlots.different.push(
        `slot ${(message.slot - start) / periodMs}: expected ${text(expected)}, got ${text(got)}`,
      );
    return failed;
  }

  function noteLoad(worker: Worker, { cluster, from }: SlotMessage): void {
    const known = loadedAt.get(worker) ?? new Map<string, number>();
    loadedAt.set(worker, known);
    const id = `${cluster}#${from}`;
    loads.slots += 1;
    if (clock.now - (known.get(id) ?? -Infinity) <= longestKeptMs) loads.recent += 1;
    else known.set(id, clock.now);
  }

  async function run(worker: Worker, messages: readonly Message[]): Promise<ReadonlySet<Message>> {
    const known = seen.get(worker) ?? new Set<string>();
    seen.set(worker, known);
    await new Promise<void>((resolve) => worker.instance.work(cpu.invocation, resolve));
    const failed = new Set<Message>();
    const isAlone =
      messages.filter(({ body }) => real.has((decodeQueueMessage(body) as SlotMessage).cluster)).length < 2;
    await Promise.all(
      messages.map(async (message) => {
        const slot = decodeQueueMessage(message.body) as SlotMessage;
        const isCold = !known.has(slot.cluster);
        const isNew = known.size === 0;
        if (clock.now < slot.until) {
          known.add(slot.cluster);
          noteLoad(worker, slot);
        }
        const isReal = real.has(slot.cluster);
        const isFailed = isReal
          ? await realOne(worker, message.body, slot, { isCold, isAlone })
          : await playOne(worker, slot, { isCold, isNew });
        if (isFailed) failed.add(message);
      }),
    );
    return failed;
  }

  const source = openEventSource(clock, params, around, run);
  const tick = { seconds: [] as number[], shards: 0 };
  const tickInstance = openInstance(params.tickMemory, around);
  const runTick = tickFunction(wiring, tickInstance);
  for (let minute = 0; minute <= scenario.minutes; minute += 1)
    clock.after(minute * 60_000 + scheduleMs, undefined, () => begin(epoch + minute * 60_000));

  function begin(scheduledAt: number): void {
    if (around.pausedUntil > clock.now)
      return void clock.after(around.pausedUntil - clock.now, undefined, () => begin(scheduledAt));
    const from = clock.now;
    runTick(scheduledAt).then(
      () => void tick.seconds.push((clock.now - from) / 1_000),
      (error: unknown) => void problems.push(`tick: ${String(error)}`),
    );
  }
  if (scenario.hasPause === true)
    clock.after(eventAt - epoch + 1_000, undefined, () => void (around.pausedUntil = clock.now + 60_000));

  const end = epoch + (scenario.minutes + 1) * 60_000;
  const usedNow = () => ({ ...model.used, ...source.used });
  await clock.runUntil(end - 60_000);
  const [requestsBefore, usedBefore] = [new Map(counts), usedNow()];
  await clock.runUntil(end);
  const requests = Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  const lastMinute = {
    requests: mapped(requests, (name, count) => count - (requestsBefore.get(name) ?? 0)),
    used: mapped(usedNow(), (name, count) => count - usedBefore[name]),
  };
  return {
    slots: tally.figures(isNew ? 0 : epoch + 60_000, end),
    tick,
    requests,
    lastMinute,
    peaks: {
      ...model.peaks,
      throttled: model.throttled,
      ...source.peaks,
      queueReads: (requests["sqs GetQueueAttributes"] ?? 0) / (scenario.minutes * 60),
    },
    used: usedNow(),
    seconds: scenario.minutes * 60,
    loads,
    real: { ...realSlots, problems },
  };
}

/** What depends on the process and on the moment, and not on the slot alone. */
const ofProcess = new Set([
  "dynamodb BatchGetItem", // the events of HPAs that this process does not know
  "sqs GetQueueUrl", // the first queues that this process reads
]);
/** HPAs that scale at the same time share the reads of their shard. */
const whenScaling = new Set([...ofProcess, "dynamodb GetItem"]);

/** Whether the process knows the cluster, and whether the batch has no other shard that the real sync runs. */
interface Company {
  readonly isCold: boolean;
  readonly isAlone: boolean;
}

/** The real sync of one environment, with what it alone asked for. */
function countedFunction(wiring: Wiring, instance: Instance) {
  const counts = new Map<string, number>();
  const counted: Instance = Object.create(instance, {
    request: {
      value: ((latency, arrive, answered) =>
        instance.request(
          latency,
          () => {
            const ask = arrive();
            counts.set(ask.operation, (counts.get(ask.operation) ?? 0) + 1);
            return ask;
          },
          answered,
        )) satisfies Instance["request"],
    },
  }) as Instance;
  return { sync: syncFunction(wiring, counted), counts };
}

/** An item of the recorded cluster, for another one. */
function copied(item: Item, cluster: string): Item {
  if (item["sk"]?.S?.startsWith("LATEST#") === true) return { ...item, pk: { S: `CLUSTER#${cluster}` } };
  return JSON.parse(JSON.stringify(item).replaceAll(template, cluster)) as Item;
}

function mapped<Name extends string>(
  counts: Readonly<Record<Name, number>>,
  to: (name: Name, count: number) => number,
) {
  const entries = Object.entries(counts) as [Name, number][];
  return Object.fromEntries(entries.map(([name, count]) => [name, to(name, count)])) as Record<Name, number>;
}

const idOf = (shard: Item) => `${shard["cluster"]?.S}#${shard["from"]?.S}`;
const numbers = (values: Readonly<Record<string, number>>): Item =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { N: String(value) }]));
const next = (shard: Item) => ({ N: String(Number(shard["version"]?.N ?? 1) + 1) });
