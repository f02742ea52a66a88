import { openClock } from "../test/faults/world/clock";
import { enter } from "../test/faults/world/globals";
import type { ItemWrite } from "../test/faults/world/memory-table";
import { decodeQueueMessage, type SlotMessage } from "../lib/model/messages";
import type { Deployments } from "./services/api-server";
import { scheduleMs, seeded } from "./services/assumptions";
import { openCloudWatchModel } from "./services/cloudwatch";
import { clusterNumber, openClusters } from "./clusters";
import { openTableModel } from "./services/dynamodb";
import { moveIn, type Neighbour, openAccount, openEvents } from "./services/account";
import { openEnvironments } from "./services/environments";
import { openEventSource, type Params } from "./services/event-source";
import { tickFunction, type Wiring } from "./functions";
import { openInstance, type Surroundings } from "./services/instance";
import { openInvocations } from "./playback/invocations";
import { type Load, periodMs, start } from "./load";
import { openPlayedSlots } from "./playback/played-slots";
import { type Compared, openRealSlots } from "./playback/real-slots";
import { type Recording, snapshotSlot } from "./playback/recording";
import { eventSlot, idOf, openSituations } from "./playback/situations";
import { openTally, type SlotFigures } from "./tally";

export interface Scenario {
  readonly name: string;
  readonly clusters: number;
  readonly params: Params;
  /** Of one load, largest first: a shard that was split plays the one nearest to its size. */
  readonly recordings: readonly Recording[];
  /** Clusters whose shards the real sync runs; the others are played back. */
  readonly realClusters: number;
  readonly minutes: number;
  /** The slot in which one HPA of a hundred needs eight times its replicas. */
  readonly hasBurst?: boolean;
  /** No service answers for a minute. */
  readonly hasPause?: boolean;
  /** A new version of the functions: all environments are replaced while a slot runs. */
  readonly hasDeploy?: boolean;
  /** The entries are new: there are no shards and no states. */
  readonly isNew?: boolean;
  /** Clusters do what they do once a minute in slots of their own, as if each was registered at another time. */
  readonly isSpread?: boolean;
  /** How many functions may run at the same time. Default: as many as want to. */
  readonly account?: AccountScenario;
}

export interface AccountScenario {
  readonly executions: number;
  readonly tickReserved?: number;
  readonly neighbour?: Neighbour;
  /** Whether a watcher runs all the time. */
  readonly isWatched?: boolean;
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
    /** Of sync, in ten seconds. */
    readonly starts: number;
    /** Calls of GetMetricData, with those that were throttled, and the datapoints that they ask for. */
    readonly cloudwatch: { readonly calls: number; readonly datapoints: number };
  };
  readonly used: {
    reads: number;
    writes: number;
    invocations: number;
    gbSeconds: number;
    starts: number;
    received: number;
    /** Of CloudWatch, answered. */
    metrics: number;
  };
  /** Calls of GetMetricData that CloudWatch throttled, and invocations that Lambda refused. */
  readonly refused: { readonly metricCalls: number; readonly invocations: number };
  /** Minutes without a tick, how long a tick waited at most for an execution, and messages that nobody synced. */
  readonly throttled: {
    readonly ticksLost: number;
    readonly longestTickWaitMs: number;
    readonly dead: number;
    readonly expired: number;
  };
  readonly seconds: number;
  /** Slots that a process synced, and in how many of them it had loaded that shard within the last two minutes. */
  readonly loads: { slots: number; recent: number };
  /** Slots of the real sync, and how many sent exactly the requests of their recording. */
  readonly real: Readonly<Compared> & { readonly problems: readonly string[] };
}

/** As serverless.yml has it: maximumEventAge of tick and watch. A watcher runs for its minute and a moment more. */
const asynchronous = { tickAgeMs: 120_000, watchAgeMs: 60_000, watchMs: 62_000 };

/** Simulates `minutes` after a first one that only ticks. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  const { params, recordings, hasBurst = false, isNew = false, isSpread = false } = scenario;
  const recording = recordings[0] as Recording;
  const epoch = start + snapshotSlot * periodMs - 60_000;
  const clock = openClock(epoch);
  enter(clock);
  const counts = new Map<string, number>();
  const around: Surroundings = {
    ...{ clock, counts, pausedUntil: 0, random: seeded(11) },
    ...{ table: openTableModel(params.table), cloudwatch: openCloudWatchModel(params.metricCalls) },
  };
  const tally = openTally(periodMs);
  const clusters = openClusters({ ...scenario, recording, isNew, now: () => clock.now, onWrite: noteFinish });
  const { table, real } = clusters;
  const phaseOf = (cluster: string) => (isSpread ? clusterNumber(cluster) % 4 : 0);
  const situations = openSituations({ recordings, hasBurst, isNew, phaseOf });
  const played = openPlayedSlots(clock, table, situations);

  function noteFinish({ pk, before, after }: ItemWrite): void {
    if (pk !== "SHARD" || after === undefined || after["slot"]?.N === before?.["slot"]?.N) return;
    const isReal = real.has(after["cluster"]?.S ?? "");
    const behind = isReal ? Object.keys(after["behind"]?.M ?? {}).length : played.behind(after);
    const slot = Number(after["slot"]?.N);
    if (slot > 0) tally.finished(idOf(after), slot, clock.now, behind);
  }

  const load: Load = { name: recording.load, ...(hasBurst && { burstFrom: snapshotSlot + eventSlot }) };
  const problems: string[] = [];
  const tick = { seconds: [] as number[], shards: 0 };
  const wiring: Wiring = {
    ...{ table, load, now: () => Math.floor(clock.now) },
    sent: (body, delaySeconds) => {
      const { cluster, from, slot } = decodeQueueMessage(body) as SlotMessage;
      tally.planned(`${cluster}#${from}`, slot);
      const sentAt = clock.now;
      clock.after(delaySeconds * 1_000, undefined, () => source.show({ body, receives: 0, sentAt }));
    },
    deploymentsOf: (cluster) => real.get(cluster) as Deployments,
    synced: () => undefined,
    ticked: ({ shards }) => void (tick.shards = shards),
    onProblem: (text) => void problems.push(text.slice(0, 200)),
  };
  const realSlots = openRealSlots(wiring, clock, situations);
  const { executions = Infinity, tickReserved = 0, neighbour, isWatched = false } = scenario.account ?? {};
  const account = openAccount(executions, tickReserved > 0 ? { tick: tickReserved } : {});
  const ticks = openEvents({ clock, account, name: "tick", maximumAgeMs: asynchronous.tickAgeMs });
  const watches = openEvents({ clock, account, name: "watch", maximumAgeMs: asynchronous.watchAgeMs });
  if (neighbour !== undefined) moveIn(neighbour, { clock, account, random: around.random });
  const environments = openEnvironments(around, { memory: params.syncMemory, warm: params.warm, account });
  const invocations = openInvocations({ real, realSlots, played, now: () => clock.now });
  const source = openEventSource(params, around, environments, (...batch) => invocations.run(...batch));
  const runTick = tickFunction(wiring, openInstance(params.tickMemory, around));
  for (let minute = 0; minute <= scenario.minutes; minute += 1)
    clock.after(minute * 60_000 + scheduleMs, undefined, () => begin(epoch + minute * 60_000));

  function begin(scheduledAt: number): void {
    if (around.pausedUntil > clock.now)
      return void clock.after(around.pausedUntil - clock.now, undefined, () => begin(scheduledAt));
    ticks.begin(() => {
      const from = clock.now;
      return runTick(scheduledAt).then(
        () => void tick.seconds.push((clock.now - from) / 1_000),
        (error: unknown) => void problems.push(`tick: ${String(error)}`),
      );
    });
    if (isWatched) watches.begin(() => new Promise<void>((over) => clock.after(asynchronous.watchMs, undefined, over)));
  }
  const eventAt = start + (snapshotSlot + eventSlot) * periodMs - epoch + 1_000;
  if (scenario.hasPause === true) clock.after(eventAt, undefined, () => void (around.pausedUntil = clock.now + 60_000));
  if (scenario.hasDeploy === true) clock.after(eventAt, undefined, () => environments.replace());

  const usedNow = () => ({
    ...{ ...around.table.used, ...source.used, starts: environments.starts },
    metrics: around.cloudwatch.used.metrics,
  });
  const end = epoch + (scenario.minutes + 1) * 60_000;
  await clock.runUntil(end - 60_000);
  const [requestsBefore, usedBefore] = [new Map(counts), usedNow()];
  await clock.runUntil(end);
  const requests = Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    slots: tally.figures(isNew ? 0 : epoch + 60_000, end),
    ...{ tick, requests },
    lastMinute: {
      requests: mapped(requests, (name, count) => count - (requestsBefore.get(name) ?? 0)),
      used: mapped(usedNow(), (name, count) => count - usedBefore[name]),
    },
    peaks: {
      ...{ ...around.table.peaks, throttled: around.table.throttled, ...source.peaks },
      ...{ starts: environments.mostStarts, cloudwatch: around.cloudwatch.peaks },
      queueReads: (requests["sqs GetQueueAttributes"] ?? 0) / (scenario.minutes * 60),
    },
    used: usedNow(),
    refused: { metricCalls: around.cloudwatch.throttled, invocations: environments.refused },
    throttled: {
      ticksLost: ticks.figures.lost,
      longestTickWaitMs: ticks.figures.longestWaitMs,
      ...{ dead: source.used.dead, expired: source.used.expired },
    },
    seconds: scenario.minutes * 60,
    loads: invocations.loads,
    real: { ...realSlots.compared, problems },
  };
}

function mapped<Name extends string>(
  counts: Readonly<Record<Name, number>>,
  to: (name: Name, count: number) => number,
) {
  const entries = Object.entries(counts) as [Name, number][];
  return Object.fromEntries(entries.map(([name, count]) => [name, to(name, count)])) as Record<Name, number>;
}
