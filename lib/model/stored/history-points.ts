import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../hpa-key";
import type { Chain } from "../ports/history";
import { type HistoryMinute, type HistoryPoint, type HistorySample, type RosterHpa, sampleIn } from "./history";
import { holdsKey } from "./last-observed";

/** Ascending, without those that repeat the one before. */
export function pointsIn(chain: Chain, key: HpaKey): readonly HistoryPoint[] {
  const { since, minutes, rosters, isWhole } = chain;
  const points: HistoryPoint[] = isWhole ? [] : [{ at: since, sample: null }];
  const add = (point: HistoryPoint) => {
    const before = points.at(-1);
    if (before === undefined || !saysSame(before, point)) points.push(point);
  };
  const unknownFrom = (at: EpochMs) => add({ at: Math.max(at, points.at(-1)?.at ?? at), sample: null });
  for (const minute of minutes) {
    if (!holds(minute, key)) continue;
    const { slot, gap = slot, roster: hash, columns } = minute;
    const left = leftBefore(minute, chain, key);
    if (left !== undefined) unknownFrom(left);
    if (gap < slot) unknownFrom(gap);
    const roster = rosters.get(hash);
    const position = roster?.positions.get(key);
    const spec = position === undefined ? undefined : roster?.hpas[position];
    const sample = position === undefined ? null : sampleIn(columns, position);
    add({ at: slot, sample, ...(spec && { spec }) });
  }
  return points;
}

function holds({ from, to }: HistoryMinute, key: HpaKey): boolean {
  return holdsKey({ cluster: "", from, to }, key);
}

/** After a crash, a shard takes over a range without its chain: since when its own did not have the HPA. */
function leftBefore({ previous }: HistoryMinute, { since, byRef }: Chain, key: HpaKey): EpochMs | undefined {
  const found = (refs: HistoryMinute["previous"]) => refs.flatMap((ref) => byRef(ref) ?? []);
  let left: EpochMs | undefined;
  let before = found(previous);
  while (before.length > 0 && !before.some((minute) => holds(minute, key))) {
    left = Math.min(...before.map(({ slot }) => slot));
    before = before.flatMap((minute) => found(minute.previous));
  }
  return left !== undefined && before.length === 0 ? since : left;
}

export function saysSame(one: HistoryPoint, other: HistoryPoint): boolean {
  if (one.sample === null || other.sample === null) return one.sample === other.sample;
  return sameSpec(one.spec, other.spec) && sameSample(one.sample, other.sample);
}

function sameSpec(one: RosterHpa | undefined, other: RosterHpa | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function sameSample(one: HistorySample, other: HistorySample): boolean {
  return (
    one.current === other.current &&
    one.desired === other.desired &&
    one.recommended === other.recommended &&
    one.stabilized === other.stabilized &&
    one.flags === other.flags &&
    one.conditions === other.conditions &&
    one.metrics.length === other.metrics.length &&
    one.metrics.every(({ value, averageValue }, index) => {
      const metric = other.metrics[index];
      return value === metric?.value && averageValue === metric.averageValue;
    })
  );
}
