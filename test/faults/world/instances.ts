import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { syncHandler } from "../../../functions/sync";
import { tickHandler } from "../../../functions/tick";
import { wakeHandler } from "../../../functions/wake";
import { watchHandler } from "../../../functions/watch";
import type { QueueMessage } from "../../../lib/model/messages";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { MetricSources } from "../../../lib/model/ports/sources";
import { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import { openShardCache } from "../../../lib/sync/slot/shard-cache";
import { openQueueReads } from "../../../lib/table/queue-reads";
import { openHistory } from "../../../lib/table/history";
import { openStore } from "../../../lib/table/store";
import type { Telemetry } from "../../../functions/reporter";
import type { Deployed, Incident, Story, Version } from "../stories/story";
import type { WorldClock } from "./clock";
import type { MemoryTable } from "./memory-table";
import type { MessageQueue, QueuedMessage } from "./message-queue";
import { type Code, oldCode } from "./old-code";
import { heard, slotQueue, visibilityClient } from "./queue-backends";
import { tableClient } from "./table-client";
import { type Instance, type Invocation, mix, type Wire } from "./wire";

/** As serverless.yml has them. */
const timeoutsMs = { sync: 30_000, tick: 30_000, wake: 30_000, watch: 150_000 } as const;

/** What the poller counts, in $. */
export const watchPrices = { perSecond: 1e-7, tableRead: 0 };
export const priceOfReading = 1e-6;

export interface InstanceDeps {
  readonly clock: WorldClock;
  readonly story: Story;
  readonly table: MemoryTable;
  readonly queue: MessageQueue;
  readonly wire: Wire;
  /** A process' own connection to a cluster. */
  readonly cluster: (name: string) => Cluster;
  readonly sources: MetricSources;
  /** Where the running process reports. */
  readonly reporter: Telemetry;
  readonly trace: (line: string) => void;
  readonly onError: (what: string, error: unknown) => void;
  readonly onBegin: (invocation: Invocation) => void;
  readonly onEnd: (invocation: Invocation) => void;
  /** A poller sends wakes. */
  readonly onWoken: (messages: readonly QueueMessage[]) => void;
  /** A wake sends messages. */
  readonly onAsked: (messages: readonly QueueMessage[]) => void;
  /** A wake with these records is over, and has not failed. */
  readonly onSearched: (records: readonly unknown[], by: Invocation) => void;
}

const presentCode: Code = { syncHandler, tickHandler, wakeHandler, openEventRecorder, openStore };

type Handle = (event: never, context: Context) => Promise<unknown>;

interface Warm {
  readonly version: Version;
  readonly instance: Instance;
  readonly fn: Incident["fn"];
  readonly handle: Handle;
}

export interface Instances {
  tick(scheduledAt: number): void;
  watch(scheduledAt: number): void;
  wake(records: readonly unknown[]): void;
  sync(messages: readonly QueuedMessage[]): void;
  died(instance: Instance): void;
  /** From now on, invocations that begin run this. Those under way go on. */
  deploy(version: Deployed): void;
  readonly invocations: number;
}

/** The platform: keeps processes warm, runs one invocation in each at a time, and ends those that take too long. */
export function openInstances(deps: InstanceDeps): Instances {
  const { clock, story, table, queue, wire, trace } = deps;
  const warm: Warm[] = [];
  const waiting: (readonly QueuedMessage[])[] = [];
  const { maximumConcurrency = Infinity } = story.setting;
  let deployed: Deployed = story.setting.firstVersion ?? "new";
  const incidents = story.incidents.filter(({ on }) => on === undefined);
  let started = 0;
  let invocations = 0;

  /** Of two versions at once, chance chooses one for each invocation. */
  function nextVersion(): Version {
    if (deployed !== "both") return deployed;
    return mix(story.seed, invocations, 13) % 2 === 0 ? "old" : "new";
  }

  function cold(fn: Incident["fn"], version: Version): Warm {
    const { skewsMs } = story.setting;
    const skewMs = skewsMs[started % skewsMs.length] ?? 0;
    started += 1;
    const name = `${version === "old" ? "old-" : ""}${fn}${started}`;
    // Every other clock is slow, not fast.
    const driftMs = (story.setting.driftMs ?? 0) * (started % 2 === 0 ? 1 : -1);
    const instance: Instance = {
      ...{ name, skewMs, driftMs, frozenUntil: 0, lostMs: 0, isDead: false },
      invocation: undefined,
    };
    const made = { instance, fn, version, handle: handlerOf(fn, version === "old" ? oldCode() : presentCode) };
    warm.push(made);
    return made;
  }

  /** Wired as compose.ts and functions/wiring.ts do it. */
  function handlerOf(fn: Incident["fn"], code: Code): Handle {
    const now = () => clock.seen();
    const { reporter, sources } = deps;
    const { watch } = story.setting;
    const slots = slotQueue(queue, wire);
    const client = tableClient(table, wire);
    if (fn === "wake") {
      const reads = openQueueReads({ client, name: "ebb" });
      return code.wakeHandler({ queue: heard(slots, deps.onAsked), reads, reporter, now });
    }
    const onBrokenShard = (message: string) => reporter.warned(message);
    const { memoryMegabytes } = story.setting;
    const memory = memoryMegabytes === undefined ? undefined : memoryMegabytes * 2 ** 20;
    const loading = memory === undefined ? {} : { loadMemory: memory / 8 };
    const store = code.openStore({ client, table: "ebb", now, onBrokenShard, ...loading });
    if (fn === "tick") return code.tickHandler({ ports: { store, queue: slots, reporter }, reporter, now });
    const connected = new Map<string, Cluster>();
    const connect = ({ name }: { readonly name: string }) => {
      const cluster = connected.get(name) ?? deps.cluster(name);
      connected.set(name, cluster);
      return Promise.resolve(cluster);
    };
    const clusters = { connect };
    if (fn === "watch") {
      const watched = { store, clusters, sources, queue: heard(slots, deps.onWoken), priceOf: () => priceOfReading };
      const ports = { ...watched, reporter };
      return watchHandler({ ports, reporter, now, budget: watch?.budget ?? 0, prices: watchPrices });
    }
    const events = code.openEventRecorder({ store, reporter });
    const kept =
      story.setting.keepsNothing === true
        ? {}
        : { shardCache: openShardCache(memory === undefined ? Infinity : memory / 8) };
    const watched = watch === undefined ? {} : { poller: { byDefault: true } };
    const making = memory === undefined ? {} : { runMemory: memory / 16 };
    const history = openHistory({ client, name: "ebb" }, { now, days: 14 });
    const ports = { store, clusters, sources, reporter, events, history, ...kept, ...making, ...watched };
    const sqs = { client: visibilityClient(queue, wire) as never, queueUrl: "https://sqs/slots" };
    return code.syncHandler({ ports, reporter, queue: sqs, now, workedMs: () => 0 });
  }

  function invoke(
    fn: Incident["fn"],
    event: object,
    bodies: readonly string[],
    ended: (result: { readonly value: unknown } | { readonly error: unknown }, by: Invocation) => void,
  ): void {
    const timeoutMs = timeoutsMs[fn];
    // ebb 0.1.0 has no poller.
    const version = fn === "watch" ? "new" : nextVersion();
    const isIdle = ({ fn: of, instance, version: own }: Warm) =>
      of === fn &&
      own === version &&
      !instance.isDead &&
      instance.invocation === undefined &&
      instance.frozenUntil <= clock.now;
    const { instance, handle } = warm.find(isIdle) ?? cold(fn, version);
    const id = (invocations += 1);
    const own: Incident[] = [];
    const nowMs = clock.now - epoch;
    const begin = incidents.findIndex(
      ({ fn: of, atMs, untilMs = Infinity }) => of === fn && atMs <= nowMs && nowMs < untilMs,
    );
    if (begin !== -1) {
      // All incidents of one moment belong to one invocation.
      const { atMs } = incidents[begin]!;
      for (let i = incidents.length - 1; i >= 0; i -= 1)
        if (incidents[i]!.fn === fn && incidents[i]!.atMs === atMs) own.push(...incidents.splice(i, 1));
    }
    const startedAt = clock.now;
    const invocation: Invocation = {
      id,
      fn,
      process: instance,
      startedAt,
      bodies,
      names: [],
      incidents: own,
      isOver: false,
    };
    instance.invocation = invocation;
    trace(`${clock.now} ${instance.name} begins ${bodies.join(" ")}`);
    deps.onBegin(invocation);

    const end = (result: { readonly value: unknown } | { readonly error: unknown }) => {
      invocation.isOver = true;
      if (instance.invocation === invocation) instance.invocation = undefined;
      instance.lostMs = 0;
      trace(`${clock.now} ${instance.name} ends`);
      deps.onEnd(invocation);
      ended(result, invocation);
      syncNext();
    };
    const context = { awsRequestId: `r${id}`, getRemainingTimeInMillis: () => timeoutMs } as Context;
    clock.after(0, instance, () => {
      handle(event as never, context).then(
        (value) => end({ value }),
        (error: unknown) => {
          deps.onError(`${fn} failed`, error);
          end({ error });
        },
      );
    });
    const limit = () => {
      if (invocation.isOver || instance.isDead) return;
      // A paused machine's platform is paused, too.
      if (instance.frozenUntil > clock.now) clock.after(instance.frozenUntil - clock.now + timeoutMs, undefined, limit);
      else {
        trace(`${clock.now} ${instance.name} is ended by the platform`);
        instance.isDead = true;
        died(instance);
      }
    };
    clock.after(timeoutMs, undefined, limit);
  }

  function died(instance: Instance): void {
    const index = warm.findIndex((each) => each.instance === instance);
    if (index !== -1) warm.splice(index, 1);
    const { invocation } = instance;
    if (invocation !== undefined && !invocation.isOver) {
      invocation.isOver = true;
      deps.onEnd(invocation);
      syncNext();
    }
  }

  function syncNext(): void {
    const running = warm.filter(({ fn, instance }) => fn === "sync" && instance.invocation !== undefined).length;
    const messages = running < maximumConcurrency ? waiting.shift() : undefined;
    if (messages === undefined) return;
    const Records = messages.map(
      ({ id, body }) => ({ messageId: id, receiptHandle: id, body }) as unknown as SQSRecord,
    );
    const bodies = messages.map(({ body }) => body);
    invoke("sync", { Records } satisfies SQSEvent, bodies, (result) => {
      if ("error" in result) return;
      const { batchItemFailures } = result.value as {
        readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
      };
      queue.settle(messages, new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)));
    });
  }

  const epoch = clock.now;

  return {
    get invocations() {
      return invocations;
    },
    died,
    deploy: (version) => void (deployed = version),
    tick: (scheduledAt) => invoke("tick", { time: new Date(scheduledAt).toISOString() }, [], () => undefined),
    watch(scheduledAt) {
      if (deployed !== "old") invoke("watch", { time: new Date(scheduledAt).toISOString() }, [], () => undefined);
    },
    wake(records) {
      invoke("wake", { Records: records }, [], (result, by) => {
        if (!("error" in result)) deps.onSearched(records, by);
      });
    },
    sync(messages) {
      waiting.push(messages);
      syncNext();
    },
  };
}
