import { isFault } from "../../model/fault";
import type { ClusterEntry } from "../../model/entry/entries";
import type { RecordedEvent } from "../../model/stored/event-log";
import type { EpochMs } from "../../k8s/time";
import type { Cluster, Clusters, ObservedTarget } from "../../model/ports/cluster";
import type { Reporter } from "../../model/report";
import { limitConcurrency } from "../../async/semaphore";
import { withinTime } from "../../async/within-time";

export interface EventMirror {
  /** Never rejects because of a cluster. Does not retry: the next occurrence carries the count. */
  show(entry: ClusterEntry, events: readonly TargetEvent[], time: MirrorTime): Promise<void>;
}

export interface TargetEvent {
  readonly target: ObservedTarget;
  readonly event: RecordedEvent;
}

export interface MirrorTime {
  readonly at: EpochMs;
  readonly inTime: () => boolean;
  readonly signal: AbortSignal;
}

const forbiddenMs = 600_000;
const callMs = 3_000;
const concurrentCalls = 8;
/** Unanswered calls in a row before a sync's other events are dropped. */
const givesUpAfter = 3;

export function openEventMirror({
  clusters,
  reporter,
}: {
  readonly clusters: Clusters;
  readonly reporter: Pick<Reporter, "failed">;
}): EventMirror {
  /** A RoleBinding may grant the right in a namespace. */
  const forbiddenUntil = new Map<string, EpochMs>();
  const said = new Map<string, string>();

  function report(cluster: string, message: string | undefined, at: EpochMs): void {
    if (message === undefined) return void said.delete(cluster);
    if (said.get(cluster) === message) return;
    said.set(cluster, message);
    reporter.failed({ cluster, reason: "FailedMirrorEvents", message, at });
  }

  return {
    async show(entry, events, time) {
      const { name, spec } = entry;
      const { at, inTime } = time;
      const isForbidden = ({ target }: TargetEvent) => at < (forbiddenUntil.get(`${name} ${target.namespace}`) ?? 0);
      const shown = events.filter((event) => !isForbidden(event));
      if (spec.options?.mirrorEvents !== true || shown.length === 0 || !inTime()) return;
      const failures: string[] = [];
      let misses = 0;
      let answered = 0;

      const showOne = async (cluster: Cluster, event: TargetEvent): Promise<void> => {
        if (misses >= givesUpAfter || !inTime() || isForbidden(event)) return;
        try {
          const { target, event: shown } = event;
          await withinTime(callMs, time.signal, (signal) => cluster.recordEvent(target, shown, signal));
          misses = 0;
          answered += 1;
        } catch (error) {
          if (!isFault(error)) throw error;
          failures.push(error.message);
          if (["timeout", "unreachable", "lost"].includes(error.kind)) misses += 1;
          if (error.kind === "forbidden") forbiddenUntil.set(`${name} ${event.target.namespace}`, at + forbiddenMs);
        }
      };

      try {
        const cluster = await clusters.connect(entry, time.signal);
        const limited = limitConcurrency(concurrentCalls);
        await Promise.all(shown.map((event) => limited(() => showOne(cluster, event))));
      } catch (error) {
        if (!isFault(error)) throw error;
        failures.push(error.message);
      }
      if (failures.length > 0 || answered > 0) report(name, failures[0], at);
    },
  };
}
