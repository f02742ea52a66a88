import { openConnections, pollerPorts, pollerPrices, storeOn, syncPorts } from "../compose";
import { closeAll } from "../lib/async/closing";
import { sleepUntil, workedMs } from "../lib/async/within-time";
import { type EpochMs, minuteMs } from "../lib/k8s/time";
import { isFault } from "../lib/model/fault";
import { defaultWatchBudget } from "../lib/model/prices";
import { onThisMachine } from "../lib/net/address";
import type { PollerPorts } from "../lib/poller/ports";
import { runPoller } from "../lib/poller/run-poller";
import { planWakes } from "../lib/scheduler/plan-wakes";
import { tick } from "../lib/scheduler/tick";
import { syncMessage } from "../lib/sync/sync-message";
import { openHistory } from "../lib/table/history";
import { type EntryRecord, changedHpa } from "../lib/table/changed-hpa";
import type { Table } from "../lib/table/reads";
import type { Backends } from "./backends";
import { callAt, inProcessQueue } from "./in-process-queue";
import { inDryRun } from "./dry-run-store";
import type { LineReporter } from "./line-reporter";
import type { EmbeddedTable } from "./backends/table/embedded-table";
import { randomUUID } from "node:crypto";

/** As in a deployment. */
const invocationMs = 30_000;

export interface Local {
  /** Finishes its records, starts nothing new. */
  stop(): Promise<void>;
}

/** As a deployment's by default. */
const historyDays = 14;

export interface LocalTable extends Table {
  /** Absent: changed entries wait for the next slot. */
  readonly watch?: EmbeddedTable["watch"];
}

export interface LocalDeps extends Pick<Backends, "kubeconfig" | "sources"> {
  readonly dryRun?: boolean;
}

/**
 * A deployment on this machine: timers instead of EventBridge, a watch instead of the table's stream, an in-process
 * queue instead of SQS.
 */
export function startLocal(
  table: LocalTable,
  { kubeconfig, sources, dryRun = false }: LocalDeps,
  reporter: LineReporter,
): Local {
  const now = (): EpochMs => Date.now();
  const whole = storeOn(table, {
    now,
    onBrokenShard: (message) => reporter.failed({ cluster: "all", reason: "BrokenShard", message, at: now() }),
  });
  const store = dryRun ? inDryRun(whole, reporter.onDryRunScaling) : whole;
  const connections = openConnections({ sources, now, kubeconfigs: [kubeconfig], addresses: onThisMachine });
  const history = openHistory(table, { now, days: historyDays });
  const ports = syncPorts({ store, connections, reporter, poller: { byDefault: false }, history });
  const ending = new AbortController();
  const invocation = () => AbortSignal.any([ending.signal, AbortSignal.timeout(invocationMs)]);

  const reportAs = (reason: string) => (error: unknown) =>
    reporter.failed({ cluster: "all", reason, message: textOf(error), at: now() });
  const failedWake = reportAs("FailedWake");

  const queue = inProcessQueue({
    handle: (message) =>
      syncMessage(ports, message, {
        now,
        workedMs,
        deadline: now() + invocationMs,
        signal: invocation(),
      }),
    onDead: (message, error) =>
      reporter.failed({ cluster: message.cluster, reason: "FailedSync", message: textOf(error), at: now() }),
  });

  async function runTick(scheduledAt: EpochMs): Promise<void> {
    try {
      await tick({ store, queue, reporter }, scheduledAt, { now, signal: invocation() });
    } catch (error) {
      reportAs("FailedTick")(error);
    }
  }
  const stopTicks = everyMinute(runTick);
  const stopWatching = startPoller(pollerPorts({ store, connections, queue, reporter }), {
    now,
    failed: reportAs("FailedWatch"),
  });

  function wake(record: EntryRecord): void {
    const hpa = changedHpa(record);
    const messages = hpa === undefined ? [] : planWakes([hpa], now());
    const due = messages.map((message) => ({ message, delaySeconds: 0 }));
    void queue.send(due, ending.signal).catch(failedWake);
  }
  const watching = table.watch?.({ changed: wake, failed: failedWake });

  return {
    async stop() {
      const lastLimit = setTimeout(() => ending.abort(new Error("ebb was stopped")), 5_000);
      const ended = [stopWatching, stopTicks, async () => (await watching)?.(), () => queue.close()];
      await closeAll([...ended, () => clearTimeout(lastLimit), () => connections.close()]);
    },
  };
}

function textOf(error: unknown): string {
  if (isFault(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Calls `run` at every full minute. Also runs at once for the current minute.
 *
 * @returns a function that stops it, and resolves when the runs under way are over.
 */
export function everyMinute(run: (scheduledAt: EpochMs) => Promise<void>): () => Promise<void> {
  const startedAt = Date.now();
  const underWay = new Set<Promise<void>>();
  let cancel = () => {};
  let isStopped = false;
  const start = (work: Promise<void>) => {
    const over = work.finally(() => underWay.delete(over));
    underWay.add(over);
  };
  const next = () => {
    const minute = (Math.floor(Date.now() / minuteMs) + 1) * minuteMs;
    cancel = callAt(minute, () => {
      start(run(minute));
      next();
    });
  };
  start(run(startedAt - minuteMs).then(() => (isStopped ? undefined : run(startedAt))));
  next();
  return async () => {
    isStopped = true;
    cancel();
    await Promise.all(underWay);
  };
}

const pollerPauseMs = 5_000;
const pollerLimitMs = 10 * 60_000;

/**
 * The next poller follows at once, so an HPA that goes to zero is read within seconds.
 *
 * @returns a function that stops it.
 */
function startPoller(
  ports: PollerPorts,
  { now, failed }: { readonly now: () => EpochMs; readonly failed: (error: unknown) => void },
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function watchOn(): Promise<void> {
    let last: string | undefined;
    while (!signal.aborted) {
      const at = now();
      try {
        const context = { deadline: at + pollerLimitMs, signal, budget: defaultWatchBudget, prices: pollerPrices(0) };
        await runPoller(ports, { id: randomUUID(), minute: at }, { ...context, now, sleepUntil });
        last = undefined;
      } catch (error) {
        // An unreachable table fails each time.
        if (!signal.aborted && String(error) !== last) failed(error);
        last = String(error);
      }
      await sleepUntil(now() + pollerPauseMs, signal);
    }
  }

  const watching = watchOn();
  return async () => {
    stopping.abort(new Error("ebb was stopped"));
    await watching;
  };
}
