import type { MetricSpec } from "../../../lib/k8s/hpa";
import { isWake, type QueueMessage } from "../../../lib/model/messages";
import type { Invocation } from "../world/wire";
import type { Books } from "./books";
import { pushCapped, type EntryVersion, type Ledger } from "./ledger";

/** What a request asks for: the HPAs that read a queue, of one cluster or of all. */
export interface Asked {
  readonly queue: string;
  readonly cluster?: string;
}

/** The parameters of a reading that name queues. */
export interface QueueNames {
  readonly queue?: unknown;
  readonly queues?: unknown;
  readonly queuePrefix?: unknown;
}

interface Read {
  readonly at: number;
  readonly parameters: QueueNames;
  readonly by: Invocation;
}

interface Sent {
  readonly key: string;
  readonly cluster: string;
  readonly at: number;
}

/** A wake of the same HPA that a process has just sent, or will be due, stands for another one. */
const spacingMs = 1_100;

/** Whatever happens beside: once a sync has read a queue for an HPA, a wake for the queue finds the HPA. 0079. */
export function watchQueues({ clock, violated, ledgers }: Books) {
  /** By HPA: when syncs last read metrics for it. */
  const reads = new Map<string, Read[]>();
  const sent = new WeakMap<object, Sent[]>();
  const incomplete = new WeakSet<Invocation>();

  /** Since when its entry, in whatever version, names the queue; undefined: it does not. */
  function readsSince({ versions }: Ledger, queue: string): number | undefined {
    const isOther = ({ entry }: EntryVersion) => !(entry?.spec.metrics ?? []).some((metric) => names(metric, queue));
    return versions[versions.findLastIndex(isOther) + 1]?.from;
  }

  /**
   * A sync has read this queue for it since its entry names the queue, and before the wake began. If the stream lost
   * the change, a sync may read a queue that an older version names.
   */
  function isKnown(ledger: Ledger, queue: string, before: number): boolean {
    const since = readsSince(ledger, queue);
    if (since === undefined || ledger.isSpoiled || ledger.isCorrupt) return false;
    const from = Math.max(since, ledger.bornAt, ledger.repairedAt);
    return (reads.get(ledger.key) ?? []).some(
      ({ at, by, parameters }) => by.startedAt > from && at < before && isNamed(parameters, queue),
    );
  }

  return {
    /** The request of a reading arrives. */
    queueSeen(key: string, parameters: QueueNames, by: Invocation): void {
      if (by.fn !== "sync") return;
      const list = reads.get(key) ?? [];
      reads.set(key, list);
      pushCapped(list, { at: clock.now, by, parameters }, 40);
    },
    sent(messages: readonly QueueMessage[], { process }: Invocation): void {
      const list = sent.get(process) ?? [];
      sent.set(process, list);
      for (const message of messages.filter(isWake))
        for (const name of message.names) {
          const { cluster, namespace } = message;
          pushCapped(list, { key: `${namespace}/${name}`, cluster, at: clock.now });
        }
    },
    /** It has said that it did not look at everything. */
    incomplete: (by: Invocation): void => void incomplete.add(by),
    /** A wake is over, and nothing failed. */
    searched(asked: readonly Asked[], by: Invocation): void {
      if (incomplete.has(by)) return;
      const recent = (sent.get(by.process) ?? []).filter(({ at }) => at >= by.startedAt - spacingMs);
      for (const { queue, cluster } of new Map(asked.map((one) => [JSON.stringify(one), one])).values())
        for (const ledger of ledgers.values()) {
          if ((cluster ?? ledger.cluster) !== ledger.cluster || !isKnown(ledger, queue, by.startedAt)) continue;
          const isWoken = recent.some((one) => one.key === ledger.key && one.cluster === ledger.cluster);
          if (!isWoken) violated(`queue: a wake for ${queue} does not find ${ledger.key}, which a sync reads it for`);
        }
    },
  };
}

function names({ external }: MetricSpec, queue: string): boolean {
  return external?.metric.name === "sqs" && isNamed(external.metric.selector?.matchLabels ?? {}, queue);
}

function isNamed({ queue: one, queues, queuePrefix }: QueueNames, queue: string): boolean {
  const isListed = typeof queues === "string" && queues.split(",").includes(queue);
  return one === queue || isListed || (typeof queuePrefix === "string" && queue.startsWith(queuePrefix));
}
