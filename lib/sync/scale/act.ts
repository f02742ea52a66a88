import type { HpaKey } from "../../model/hpa-key";
import { isDeepStrictEqual } from "node:util";
import { isFault, type Fault } from "../../model/fault";
import type { Scale } from "../../k8s/objects";
import { currentReplicas } from "../../core/gate";
import type { Intent, State } from "../../model/stored/state";
import { withoutLatest } from "./intents";
import type { Target } from "../../model/ports/cluster";
import type { Written } from "../../model/ports/store";
import type { Prepared } from "./deletion-costs";
import type { SyncRun } from "../hpa/sync-run";

/** Upstream's retry.DefaultBackoff. */
const tries = 5;

export interface Action {
  readonly key: HpaKey;
  readonly document: unknown;
  readonly target: Target;
  readonly scale: Scale;
  /** Written before the scale. */
  readonly intended: State & { readonly intent: Intent };
  /** Called once the table has the intent, and those that it settled. */
  readonly onIntentStored: () => void;
  /** Called before each write of the scale. */
  readonly prepare?: (() => Promise<Prepared>) | undefined;
}

/** `state`: in the table afterwards. */
export type ActResult =
  /** `isFound`: no write was answered, and somebody else may have set this size. */
  | { readonly kind: "applied"; readonly state: State; readonly isFound: boolean }
  /** The write did not happen, and never can. */
  | { readonly kind: "failed"; readonly state: State; readonly error: string }
  /** The write may have happened: the next sync settles it. */
  | { readonly kind: "unknown"; readonly state: State; readonly error: string }
  /** Another run wrote first, or the entry changed. */
  | { readonly kind: "superseded" };

/**
 * Survives a crash, a pause or a second run at any point:
 *
 *   1. Record the intent, conditional on the state's version.
 *   2. Check that no newer slot was finished, and that the shard still has this HPA, with the same entry.
 *   3. Write the scale, conditional on its resourceVersion.
 *   4. The caller records the outcome.
 *
 * One of two runs loses the first write. A paused run finds its slot over, or the shard ahead. docs/protocol.md
 */
export async function act(run: SyncRun, action: Action): Promise<ActResult> {
  const storing = () => storeIntent(run, action.key, action.intended);
  if (!(await reporting(storing, action.onIntentStored))) return { kind: "superseded" };
  const prepared = await action.prepare?.();
  if (prepared?.kind === "failed") return { kind: "failed", state: action.intended, error: prepared.error };
  if (prepared?.kind === "changed") return withdraw(run, action.key, action.intended);
  if (!(await stillOurs(run, action))) return withdraw(run, action.key, action.intended);
  return writeScale(run, action);
}

/** Reports also if the write may have been applied: better twice than never. */
export async function reporting(write: () => Promise<Written | "notTried">, report: () => void): Promise<boolean> {
  try {
    const written = await write();
    if (written === "notTried") return false;
    if (written.ok || written.mayBeApplied) report();
    return written.ok;
  } catch (error) {
    if (isFault(error, "lost")) report();
    throw error;
  }
}

async function withdraw(run: SyncRun, key: HpaKey, intended: State): Promise<ActResult> {
  const withdrawn = { ...withoutLatest(intended), version: intended.version + 1 };
  await run.records.putState(key, withdrawn);
  return { kind: "superseded" };
}

async function storeIntent(run: SyncRun, key: HpaKey, state: State): Promise<Written | "notTried"> {
  return run.time.inTime() ? run.records.putState(key, state) : "notTried";
}

async function isStored(run: SyncRun, key: HpaKey, state: State): Promise<boolean> {
  const written = await storeIntent(run, key, state);
  return written !== "notTried" && written.ok;
}

async function stillOurs(run: SyncRun, { key, document }: Action): Promise<boolean> {
  const { records, time } = run;
  const [overtaken, current] = await Promise.all([records.isOvertaken(key), records.document(key)]);
  return time.inTime() && !overtaken && isDeepStrictEqual(current, document);
}

async function writeScale(run: SyncRun, action: Action): Promise<ActResult> {
  const { intent } = action.intended;
  let state: State = action.intended;
  let scale = action.scale;
  let mayLand = false; // an attempt on this resourceVersion got no answer
  for (let attempt = 1; ; attempt++) {
    const fault = await put(run, action.target, { ...scale, spec: { ...scale.spec, replicas: intent.to } });
    if (fault === undefined) return { kind: "applied", state, isFound: false };
    const error = fault.message;
    const isRefused = !fault.retryable || fault.kind === "throttled";
    if (isRefused) return { kind: mayLand ? "unknown" : "failed", state, error };
    if (fault.kind !== "conflict") mayLand = true;

    // The answer was lost, or somebody wrote in between: read the scale.
    const seen = await look(run, action.target);
    if (seen === undefined) return { kind: "unknown", state, error };
    const moved = seen.metadata.resourceVersion !== scale.metadata.resourceVersion;
    if (moved && isScaled(seen, action)) {
      // After conflicts alone, somebody else set this size. Our earlier intents stay open.
      if (!mayLand) return withdraw(run, action.key, state);
      // If the intent is no longer the latest, another run may have written the same size, and records it.
      state = { ...state, version: state.version + 1 };
      return (await isStored(run, action.key, state))
        ? { kind: "applied", state, isFound: true }
        : { kind: "superseded" };
    }
    // Somebody may have undone our write: the next sync decides.
    if (moved && mayLand) return { kind: "unknown", state, error };
    if (moved && !isSameCase(seen, action.scale)) return { kind: "failed", state, error };
    // Do not retry a timeout. The next slot does, after HPAs that are not lagging.
    if (attempt === tries || fault.kind === "timeout" || !run.time.inTime()) {
      return { kind: moved ? "failed" : "unknown", state, error };
    }
    const prepared = await action.prepare?.();
    if (prepared !== undefined && prepared.kind !== "ready")
      return mayLand ? { kind: "unknown", state, error } : withdraw(run, action.key, state);
    if (moved) {
      // Only the target's status changed: the decision holds.
      const next = { ...intent, resourceVersion: seen.metadata.resourceVersion ?? "" };
      const { earlier: _stale, earlierSizes: _staleToo, ...rest } = state;
      state = { ...rest, version: state.version + 1, intent: next };
      if (!(await isStored(run, action.key, state))) return { kind: "superseded" };
      if (!(await stillOurs(run, action))) return withdraw(run, action.key, state);
    }
    scale = seen;
  }
}

function isScaled(seen: Scale, { scale, intended }: Action): boolean {
  return seen.metadata.uid === scale.metadata.uid && currentReplicas(seen) === intended.intent.to;
}

/** True for the same object at the same size. */
function isSameCase(seen: Scale, decidedFrom: Scale): boolean {
  return seen.metadata.uid === decidedFrom.metadata.uid && currentReplicas(seen) === currentReplicas(decidedFrom);
}

async function put(run: SyncRun, target: Target, scale: Scale): Promise<Fault | undefined> {
  try {
    await run.cluster.putScale(target, scale, run.time.writes);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
}

async function look(run: SyncRun, target: Target): Promise<Scale | undefined> {
  try {
    return await run.cluster.getScale(target, run.time.writes);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
