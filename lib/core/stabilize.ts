import type { Behavior } from "../k8s/hpa";
import type { Verdict } from "./conditions";
import type { History, Options, Run } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import type { Step } from "../model/step";

export interface Stabilized {
  readonly replicas: number;
  readonly verdict: Verdict;
  readonly step: Step;
}

export interface StabilizeInput {
  readonly proposed: number;
  readonly current: number;
  /** Without this sync's own recommendation. */
  readonly history: History;
  readonly behavior: Behavior | undefined;
  readonly options: Options;
}

/** Recent recommendations hold the size where a single one would make it swing. */
export function stabilize(input: StabilizeInput, now: EpochMs): Stabilized {
  return input.behavior === undefined ? stabilizeDown(input, now) : stabilizeBoth(input, input.behavior, now);
}

/**
 * Without `behavior`: the highest recommendation of the cluster's downscale window, whose first moment counts. A window of no
 * length holds none: upstream takes the time once more after it recorded a new HPA's first recommendation.
 * Upstream: stabilizeRecommendation, horizontal.go.
 */
function stabilizeDown({ proposed, history, options }: StabilizeInput, now: EpochMs): Stabilized {
  const window = options.downscaleStabilizationSeconds;
  const cutoff = now - window * 1000;
  const held = window === 0 ? undefined : highestOf(history.recommendations.filter(({ at }) => at >= cutoff));
  if (held === undefined || held.replicas <= proposed) return ready(proposed);
  const then = Math.max(proposed, highestOf(after(held, history))?.replicas ?? proposed);
  return heldBy(scaleDownStabilized, held, { replicas: held.replicas, then, window });
}

/**
 * With `behavior` each direction has its window, whose first moment does not count: the size moves no further up than the
 * lowest recommendation of the one, and no further down than the highest of the other.
 *
 *      ├────────── scaleDown window: not below its highest ──────────┤
 *                               ├─ scaleUp window: not above its lowest ─┤ now
 *
 * Upstream: stabilizeRecommendationWithBehaviors, horizontal.go.
 */
function stabilizeBoth(input: StabilizeInput, behavior: Behavior, now: EpochMs): Stabilized {
  const { proposed, current, history, options } = input;
  const upWindow = behavior.scaleUp?.stabilizationWindowSeconds ?? 0;
  const downWindow =
    behavior.scaleDown?.stabilizationWindowSeconds ?? Math.trunc(options.downscaleStabilizationSeconds);
  const lowest = lowestOf(history.recommendations.filter(({ at }) => at > now - upWindow * 1000));
  const highest = highestOf(history.recommendations.filter(({ at }) => at > now - downWindow * 1000));
  const ceiling = Math.min(proposed, lowest?.replicas ?? proposed);
  const floor = Math.max(proposed, highest?.replicas ?? proposed);
  const replicas = Math.min(Math.max(current, ceiling), floor);
  if (replicas === proposed) return ready(proposed);
  // A held growth is held by the lowest one, a held shrinking by the highest.
  if (proposed >= current) {
    const next = lowestOf(after(lowest, history))?.replicas ?? proposed;
    const then = Math.max(current, Math.min(proposed, next));
    return heldBy(scaleUpStabilized, lowest, { replicas, then, window: upWindow });
  }
  const next = highestOf(after(highest, history))?.replicas ?? proposed;
  const then = Math.min(current, Math.max(proposed, next));
  return heldBy(scaleDownStabilized, highest, { replicas, then, window: downWindow });
}

/** What still stands in a window when `run` has left it. */
function after(run: Run | undefined, { recommendations }: History): readonly Run[] {
  return run === undefined ? recommendations : recommendations.filter(({ at }) => at > run.at);
}

/** Among equals the last one, which stays in a window the longest. */
function highestOf(runs: readonly Run[]): Run | undefined {
  return runs.reduce<Run | undefined>(
    (best, run) => (best !== undefined && best.replicas > run.replicas ? best : run),
    undefined,
  );
}

function lowestOf(runs: readonly Run[]): Run | undefined {
  return runs.reduce<Run | undefined>(
    (best, run) => (best !== undefined && best.replicas < run.replicas ? best : run),
    undefined,
  );
}

const scaleUpStabilized: Verdict = {
  type: "AbleToScale",
  status: "True",
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

const scaleDownStabilized: Verdict = {
  type: "AbleToScale",
  status: "True",
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};

const readyForNewScale: Verdict = {
  type: "AbleToScale",
  status: "True",
  reason: "ReadyForNewScale",
  message: "recommended size matches current size",
};

function ready(replicas: number): Stabilized {
  const because = "no recent recommendation says otherwise";
  return { replicas, verdict: readyForNewScale, step: { stage: "stabilize", replicas, because } };
}

function heldBy(
  verdict: Verdict,
  run: Run | undefined,
  { replicas, then, window }: { readonly replicas: number; readonly then: number; readonly window: number },
): Stabilized {
  const held = { heldBy: run?.replicas ?? null, heldSince: run?.since ?? null, lastSeen: run?.at ?? null };
  const until = run === undefined ? null : run.at + window * 1000;
  const detail = { window, ...held, until, then };
  const because = verdict.message;
  return { replicas, verdict, step: { stage: "stabilize", replicas, limitedBy: verdict.reason, because, detail } };
}
