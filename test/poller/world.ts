import type { EpochMs } from "../../lib/k8s/time";
import { Fault } from "../../lib/model/fault";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { Idle } from "../../lib/model/stored/idle";
import type { WakeMessage } from "../../lib/model/messages";
import type { MetricSources, SourceReading } from "../../lib/model/ports/sources";
import type { State } from "../../lib/model/stored/state";
import type { PollerCounts, PollerPorts } from "../../lib/poller/ports";
import { runPoller } from "../../lib/poller/run-poller";
import { memoryStore, type MemoryStore } from "../fakes/memory-store";
import { metricValue } from "../sync/sync-fixture";

/**
 * Pollers as processes over one table, in simulated time: each has a clock of its own, may be late, come twice, be
 * paused and crash. The backends answer after some milliseconds.
 */
export const start = Date.parse("2026-11-10T12:00:00Z");
export const minuteMs = 60_000;

export interface Read {
  readonly at: EpochMs;
  readonly by: string;
  readonly queue: string;
}

export interface Woken {
  readonly at: EpochMs;
  readonly key: string;
  /** What the queue had at that moment. */
  readonly depth: number | string;
}

export interface Process {
  readonly id: string;
  /** Ends it at once: nothing that it awaits ever comes back. */
  readonly crash: () => void;
  /** Everything that it awaits comes back after this moment. */
  readonly pauseUntil: (at: EpochMs) => void;
  readonly stop: () => void;
  /** undefined: it is not over. */
  readonly counts: PollerCounts | undefined;
}

interface Options {
  readonly queues?: readonly string[];
  readonly activation?: string;
  readonly latencyMs?: () => number;
  readonly budget?: number;
  readonly periodSeconds?: number;
  readonly keepMs?: number;
  readonly price?: number;
  /** What a sync makes of a wake; default: it takes the HPA from zero after 300 ms. */
  readonly onWake?: (key: string) => void;
}

const endings = new Set<() => void>();
const onTestEnd = (end: () => void) => endings.add(end);
afterEach(() => {
  for (const end of endings) end();
  endings.clear();
});

export function pollerWorld({ queues = ["orders"], latencyMs = () => 5, budget = 1_000, ...options }: Options = {}) {
  let now = start;
  let arrivals = 0;
  const timers: { at: EpochMs; order: number; run: () => void }[] = [];
  const store = memoryStore(() => now);
  const depths = new Map<string, number | string>(queues.map((queue) => [queue, 0]));
  const reads: Read[] = [];
  const woken: Woken[] = [];
  const failures: string[] = [];
  const recoveries: string[] = [];
  const errors: unknown[] = [];
  const processes: Process[] = [];
  onTestEnd(() => processes.forEach((process) => process.crash()));

  const at = (moment: EpochMs, run: () => void) => timers.push({ at: Math.max(moment, now), order: arrivals++, run });

  async function run(until: EpochMs): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      timers.sort((a, b) => a.at - b.at || a.order - b.order);
      const next = timers[0];
      if (next === undefined || next.at > until) break;
      timers.shift();
      now = Math.max(now, next.at);
      next.run();
    }
    now = until;
  }

  const { periodSeconds } = options;
  const spec = {
    ...{ endpoint: "https://prod.example", auth: { type: "token" as const, secret: "ebb/prod" } },
    ...(periodSeconds === undefined ? {} : { options: { syncPeriodSeconds: periodSeconds } }),
  };
  store.clusterEntries.set("prod", { key: "prod", value: { name: "prod", spec } });

  const keyOf = (queue: string) => asHpaKey(`shop/${queue}`);
  const since = (queue: string) => store.stateItems.get(`prod ${keyOf(queue)}`)?.status.lastScaleTime ?? "";

  /** As a slot leaves it. */
  function putShard(): void {
    const asleep = queues.filter((queue) => store.stateItems.get(`prod ${keyOf(queue)}`)?.status.desiredReplicas === 0);
    const idle: Idle = Object.fromEntries(asleep.map((queue) => [keyOf(queue), idleHpa(queue, since(queue), options)]));
    store.idleItems.set("prod ", idle);
    const shard = {
      cluster: "prod",
      from: "",
      to: null,
      slot: now,
      heartbeat: now,
      behind: {},
      entries: queues.length,
    };
    const mark = asleep.length === 0 ? {} : { idle: { hash: `h${JSON.stringify(idle)}`, at: 0 } };
    const version = (store.shardItems.get("prod#")?.version ?? 0) + 1;
    store.shardItems.set("prod#", { ...shard, version, ...mark });
  }

  function setSize(queue: string, replicas: number): void {
    const status = {
      ...{ desiredReplicas: replicas, currentReplicas: replicas, lastScaleTime: new Date(now).toISOString() },
      conditions: [{ type: "ScaledToZero", status: replicas === 0 ? ("True" as const) : ("False" as const) }],
    };
    const state: State = { version: 1, slot: now, status, history: null, open: false };
    store.stateItems.set(`prod ${keyOf(queue)}`, state);
  }

  for (const queue of queues) setSize(queue, 0);
  putShard();

  function wake({ names }: WakeMessage): void {
    for (const name of names) {
      woken.push({ at: now, key: name, depth: depths.get(name) ?? "unknown" });
      if (options.onWake !== undefined) options.onWake(name);
      else at(now + 300, () => setSize(name, 1));
    }
  }

  interface Life {
    crashed: boolean;
    pausedUntil: EpochMs;
  }

  /** What a process awaits comes back at that moment, or after its pause, or never. */
  const back = (life: Life, moment: EpochMs) =>
    new Promise<void>((resolve) => {
      const arrive = () => {
        if (life.crashed) return;
        if (life.pausedUntil > now) at(life.pausedUntil, arrive);
        else resolve();
      };
      at(moment, arrive);
    });

  function storeOf(life: Life): MemoryStore {
    const far = (name: keyof MemoryStore) => {
      const { [name]: call } = store as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      if (call === undefined) throw new Error(`the store has no ${name}`);
      return async (...args: unknown[]) => {
        await back(life, now + latencyMs());
        const answer = await call(...args).catch((error: unknown) => ({ error }));
        await back(life, now + latencyMs());
        if (answer !== null && typeof answer === "object" && "error" in answer) throw answer.error;
        return answer;
      };
    };
    const called = ["clusters", "shards", "idle", "states", "pollerLease", "replacePollerLease"] as const;
    return { ...store, ...Object.fromEntries(called.map((name) => [name, far(name)])) };
  }

  /** Starts a poller of this minute, whose clock is so far ahead. */
  function begin(
    id: string,
    { minute, skewMs = 0, limitMs = 150_000 }: { minute: number; skewMs?: number; limitMs?: number },
  ): Process {
    const life: Life = { crashed: false, pausedUntil: 0 };
    const stop = new AbortController();
    const clock = () => now + skewMs;
    const read = async (queue: string): Promise<SourceReading> => {
      reads.push({ at: now, by: id, queue });
      await back(life, now + latencyMs());
      const depth = depths.get(queue) ?? "gone";
      if (typeof depth === "string") return { error: depth };
      return { items: [metricValue("depth", depth)] };
    };
    const sources: MetricSources = {
      sqs: {
        isBuiltIn: true,
        keepMs: () => options.keepMs ?? 0,
        open: () => ({ read: ({ parameters }) => read(String(parameters["queue"])) }),
      },
    };
    const ports: PollerPorts = {
      store: storeOf(life),
      sources,
      priceOf: () => options.price ?? 0,
      clusters: { connect: () => Promise.reject(new Fault("timeout", "no cluster here")) },
      queue: {
        async send(messages) {
          await back(life, now + latencyMs());
          for (const { message } of messages) wake(message as WakeMessage);
          await back(life, now + latencyMs());
        },
      },
      reporter: {
        failed: ({ reason, key, message }) => void failures.push(`${reason}${key ? ` ${key}` : ""}: ${message}`),
        recovered: ({ key = "" }) => void recoveries.push(key),
      },
    };
    const process: Process & { counts: PollerCounts | undefined } = {
      id,
      counts: undefined,
      crash: () => {
        life.crashed = true;
        stop.abort(); // it goes nowhere, and its timers end
      },
      pauseUntil: (moment: EpochMs) => void (life.pausedUntil = moment),
      stop: () => stop.abort(),
    };
    processes.push(process);
    const sleepUntil = (moment: EpochMs, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const done = () => void back(life, now).then(resolve);
        if (signal.aborted) return done();
        at(moment - skewMs, done);
        signal.addEventListener("abort", done, { once: true });
      });
    runPoller(
      ports,
      { id, minute: start + minute * minuteMs },
      {
        ...{ now: clock, sleepUntil, deadline: clock() + limitMs, signal: stop.signal, budget },
        prices: { perSecond: 0.25 * 0.0000133334, tableRead: 0.125e-6 },
      },
    ).then(
      (counts) => (process.counts = counts),
      (error: unknown) => errors.push(error),
    );
    return process;
  }

  return {
    store,
    depths,
    reads,
    woken,
    failures,
    recoveries,
    errors,
    at: (ms: number, act: () => void) => at(start + ms, act),
    run: (ms: number) => run(start + ms),
    now: () => now,
    begin,
    putShard,
    setSize,
    lease: () => store.leases.get("LEASE"),
  };
}

export function idleHpa(queue: string, since: string, { activation }: Pick<Options, "activation">): Idle[keyof Idle] {
  const target = { type: "AverageValue", averageValue: "5" } as const;
  return {
    hpa: {
      ...{
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { namespace: "shop", name: queue },
      },
      spec: {
        ...{
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: queue },
          minReplicas: 0,
          maxReplicas: 9,
        },
        metrics: [{ type: "External", external: { metric: { name: "depth" }, target } }],
      },
    },
    sources: [{ kind: "source", source: "sqs", parameters: { queue } }],
    rules: [activation === undefined ? {} : { activation }],
    since,
  };
}

/** Reads of two pollers that take turns, or of one that comes back: each may read in one stretch alone. */
export function interleaved(reads: readonly Read[]): readonly Read[] {
  const over = new Set<string>();
  return reads.filter((read, index) => {
    const before = reads[index - 1]?.by;
    if (before !== undefined && before !== read.by) over.add(before);
    return over.has(read.by);
  });
}

/** The longest time without a read, in ms. */
export function longestGap(reads: readonly Read[], until: EpochMs): number {
  const moments = [...reads.map(({ at }) => at), until];
  return Math.max(...moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0)));
}
