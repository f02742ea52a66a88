import type { BusySourceKind, Unread } from "../stories/story";

/** A pod that has jobs. */
export interface Worker {
  readonly name: string;
  readonly replicaSet: string;
  readonly madeAt: number;
  /** Not Ready in these times. The first one is its start. */
  readonly unready: { readonly from: number; readonly until: number }[];
  /** What was annotated as its deletion cost, latest last. */
  readonly costs: { readonly at: number; readonly text: string | undefined }[];
  readonly annotations: Map<string, string>;
  isBusy: boolean;
  /** Since when it has its job, or none. */
  since: number;
  unread: { readonly how: Unread; readonly from: number; readonly until: number };
  version: number;
  /** It is being removed, and gone by then. */
  endsAt?: number;
}

export const runsAfterMs = 1_000;

export function phaseOf({ madeAt }: Worker, at: number): "Pending" | "Running" {
  return at - madeAt < runsAfterMs ? "Pending" : "Running";
}

export function isReadyAt({ unready }: Worker, at: number): boolean {
  return !unready.some(({ from, until }) => from <= at && at < until);
}

export function isActiveWorker({ endsAt }: Worker): boolean {
  return endsAt === undefined;
}

export function isUnread({ unread: { how, until } }: Worker, source: BusySourceKind, at: number): boolean {
  return at < until && (how === "item" || source !== "annotation");
}

/**
 * Which pods a ReplicaSet's controller removes first, from what it sees as of `at`. Upstream: ActivePodsWithRanks,
 * pkg/controller/controller_utils.go; all of these pods have a node of their own, and no container was started again.
 */
export function deletionOrder(at: number): (one: Worker, other: Worker) => number {
  const keysOf = (worker: Worker) => [
    phaseOf(worker, at) === "Pending" ? 0 : 1,
    isReadyAt(worker, at) ? 1 : 0,
    costAt(worker, at),
    -readySince(worker, at),
    -worker.madeAt,
  ];
  return (one, other) => {
    const others = keysOf(other);
    return keysOf(one).reduce((order, key, index) => order || key - (others[index] ?? 0), 0);
  };
}

function costAt({ costs }: Worker, at: number): number {
  const { text } = costs.findLast((cost) => cost.at <= at) ?? {};
  return text === undefined ? 0 : Number(text);
}

function readySince({ unready }: Worker, at: number): number {
  return Math.max(0, ...unready.filter(({ until }) => until <= at).map(({ until }) => until));
}
