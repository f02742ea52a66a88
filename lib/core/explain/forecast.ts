import type { HorizontalPodAutoscaler, ScalingRules } from "../../k8s/hpa";
import { restrain } from "../evaluate";
import { countRescale, remember } from "../history";
import type { History, Options } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";

export interface Outlook {
  readonly hpa: HorizontalPodAutoscaler;
  readonly options: Options;
  /** With the sync's recommendation and scale event. */
  readonly history: History;
  readonly replicas: number;
  /** The size that the metrics ask for, before anything holds it back. */
  readonly proposed: number;
  /** `at`: the last sync. */
  readonly at: EpochMs;
  readonly periodMs: number;
  /** When the target may go to zero. Absent: at once. */
  readonly zeroFrom?: EpochMs;
}

/** `at`: the earliest moment. The sync is up to a period later. */
export interface Move {
  readonly at: EpochMs;
  readonly from: number;
  readonly to: number;
}

/** No policy needs more moves within an hour, the longest window. */
const mostMoves = 500;

/**
 * The moves while the metrics ask for the same size. Runs the stages whenever a recommendation leaves its window, or a
 * scale event its policy's period.
 *
 *     7 ──── 5 ──── 3 (now)      the windows of 7 and of 5 end one after the other: two moves
 *     └─ window ─┘→5
 *            └─ window ─┘→3
 */
export function forecast(outlook: Outlook): readonly Move[] {
  const moves: Move[] = [];
  let { history, replicas, at } = outlook;
  for (;;) {
    const move = firstMove({ ...outlook, history, replicas, at });
    if (move === undefined || moves.length === mostMoves) return moves;
    moves.push(move);
    const { hpa, proposed, options } = outlook;
    history = countRescale(remember(history, proposed, move.at, options), move, hpa.spec.behavior);
    replicas = move.to;
    at = move.at;
  }
}

function firstMove(outlook: Outlook): Move | undefined {
  for (const at of turningPoints(outlook)) {
    const { replicas: from, proposed, zeroFrom = at } = outlook;
    const zeroHold = at < zeroFrom ? { name: "", slotsToZero: 1 } : undefined;
    const { replicas: to } = restrain(proposed, { ...outlook, current: from, zeroHold }, at);
    if (to !== from) return { at, from, to };
  }
  return undefined;
}

/** In order. */
function turningPoints({ hpa, options, history, at, periodMs, zeroFrom = at }: Outlook): readonly EpochMs[] {
  const next = at + periodMs;
  const { behavior } = hpa.spec;
  const down = behavior?.scaleDown?.stabilizationWindowSeconds ?? options.downscaleStabilizationSeconds;
  const up = behavior?.scaleUp?.stabilizationWindowSeconds ?? 0;
  // Without `behavior`, the window's first moment counts.
  const last = behavior === undefined ? 1 : 0;
  const released = history.recommendations.flatMap((span) => [span.at + up * 1000, span.at + down * 1000 + last]);
  const periods = [...periodsOf(behavior?.scaleUp), ...periodsOf(behavior?.scaleDown)];
  const expired = [...history.scaleUpEvents, ...history.scaleDownEvents].flatMap((event) =>
    [event.at, event.foundAt ?? event.at].flatMap((from) => periods.map((seconds) => from + seconds * 1000)),
  );
  const later = [...released, ...expired, zeroFrom].filter((moment) => moment > next);
  return [...new Set([next, ...later])].sort((a, b) => a - b);
}

function periodsOf(rules: ScalingRules | undefined): readonly number[] {
  return (rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds);
}
