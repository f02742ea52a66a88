import { limitConcurrency } from "../../async/semaphore";
import type { EpochMs } from "../../k8s/time";
import { Fault, isFault } from "../../model/fault";
import type { Cluster, WorkerPod, WorkerQuery } from "../../model/ports/cluster";
import type { DeletionCosts } from "../../model/stored/state";
import type { BusyReading } from "../../readings/read-busy";
import type { SyncRun } from "../hpa/sync-run";
import { type CostChange, planCosts, withoutOwnCosts } from "./plan-costs";
import { mayLand, patchMs } from "./wait-for-costs";

const freshMs = 2_000;
const mostRounds = 4;
const concurrentPatches = 16;
/** Many HPAs share an API server's connections. */
const permits = new WeakMap<Cluster, ReturnType<typeof limitConcurrency>>();

export type Prepared =
  | { readonly kind: "ready" }
  /** The next sync decides again. */
  | { readonly kind: "changed" }
  | { readonly kind: "failed"; readonly error: string };

type CostRun = Pick<SyncRun, "cluster" | "time">;

export interface SparedScaling {
  readonly namespace: string;
  readonly reading: BusyReading;
  readonly read: () => Promise<BusyReading>;
  /** The decision is the same. */
  readonly holds: (reading: BusyReading) => boolean;
  readonly usesCosts: boolean;
  readonly isOverdue: boolean;
  /** Since when the state says that pods have costs. */
  readonly setAt: EpochMs | undefined;
}

/** Call before each write. A pod that has changed is read again, not patched. */
export function openDeletionCosts(run: CostRun, scaling: SparedScaling): () => Promise<Prepared> {
  const { time } = run;
  const { namespace, usesCosts, isOverdue, setAt } = scaling;
  let reading = scaling.reading;
  let isPatched = false;

  const isFresh = () => Math.abs(time.now() - reading.at) <= freshMs;

  return async () => {
    for (let round = 0; round < mostRounds; round++) {
      if (!time.inTime()) return { kind: "changed" };
      const isReadNow = round > 0 || !isFresh();
      if (isReadNow) {
        reading = await scaling.read();
        isPatched = false;
        if (!scaling.holds(reading)) return { kind: "changed" };
      }
      const changes = usesCosts && !isPatched ? planCosts(reading.pods) : [];
      // A list may take longer than 2 s.
      if (isReadNow && changes.length === 0) return { kind: "ready" };
      if (changes.length > 0 && !isOverdue) return { kind: "changed" };
      const patched = await patchAll(run, { namespace, changes, setAt });
      if (patched.kind === "failed") {
        const failed = { ...reading, counts: { error: patched.error }, pods: [] };
        return scaling.holds(failed) ? { kind: "ready" } : patched;
      }
      isPatched = patched.kind === "ready";
      if (isPatched && isFresh()) return patched;
    }
    return { kind: "changed" };
  };
}

interface CostPatches {
  readonly namespace: string;
  readonly changes: readonly CostChange[];
  readonly setAt?: EpochMs | undefined;
}

/** "changed": read the pods again. */
export async function patchAll({ cluster, time }: CostRun, patches: CostPatches): Promise<Prepared> {
  const { namespace, changes, setAt = Infinity } = patches;
  const withPermit = permits.get(cluster) ?? limitConcurrency(concurrentPatches);
  permits.set(cluster, withPermit);
  const mayStart = () => time.inTime() && time.now() <= setAt + patchMs;
  let failed: Prepared | undefined;
  const patch = async ({ pod, cost }: CostChange): Promise<Prepared> => {
    if (failed !== undefined || !mayStart()) return { kind: "changed" };
    try {
      await cluster.setDeletionCost({ namespace, pod, cost, mayStart }, time.writes);
      return { kind: "ready" };
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error.kind === "notFound") return { kind: "ready" };
      if (error.kind === "conflict" || error.kind === "lost" || !mayStart()) return { kind: "changed" };
      failed ??= { kind: "failed", error: `cannot set the deletion cost of pod ${pod.name}: ${error.message}` };
      return failed;
    }
  };
  const done = await Promise.all(changes.map((change) => withPermit(() => patch(change))));
  return failed ?? done.find(({ kind }) => kind === "changed") ?? { kind: "ready" };
}

export type OwnCosts = { readonly pods: readonly WorkerPod[] } | { readonly error: string };

export async function findOwnCosts({ cluster, time }: CostRun, query: WorkerQuery): Promise<OwnCosts> {
  try {
    const { pods, unreadable } = await cluster.listWorkers(query, time.reads);
    if (unreadable > 0) throw new Fault("badAnswer", `${unreadable} of them cannot be read`);
    return { pods: withoutOwnCosts(pods) };
  } catch (error) {
    if (isFault(error)) return { error: `cannot take away the deletion costs of pods: ${error.message}` };
    throw error;
  }
}

interface OwnCostsLeft extends Omit<CostPatches, "changes"> {
  readonly pods: readonly WorkerPod[];
}

export async function takeCostsAway(run: CostRun, { pods, ...patches }: OwnCostsLeft): Promise<Prepared> {
  return patchAll(run, { ...patches, changes: pods.map((pod) => ({ pod: { ...pod, isBusy: false }, cost: null })) });
}

export const clearMs = 600_000;

/**
 * @returns whether they are gone, also those of late patches
 * @throws Fault if the next slot should try again
 */
export async function clearCosts(run: CostRun, namespace: string, { at, selector }: DeletionCosts): Promise<boolean> {
  if (mayLand(at, run.time.now())) return false;
  const own = await findOwnCosts(run, { namespace, selector });
  const patched = "error" in own ? undefined : await takeCostsAway(run, { namespace, pods: own.pods });
  if (patched?.kind === "ready" || run.time.now() > at + clearMs) return true;
  const error = "error" in own ? own.error : patched?.kind === "failed" ? patched.error : "pods have changed";
  throw new Fault("conflict", error);
}
