import { minuteMs } from "../../../lib/k8s/time";
import { flagsOf, type HistoryMinute, type HistorySample, type Roster } from "../../../lib/model/stored/history";
import { decodeMinute } from "../../../lib/table/items/history-items";
import { decodeRoster } from "../../../lib/table/items/roster-item";
import type { ItemWrite } from "../world/memory-table";
import { metricId } from "../world/metric-id";
import type { Invocation } from "../world/wire";
import type { Books } from "./books";
import { isJudged, type Ledger } from "./ledger";

const paused = flagsOf(new Set(["paused"]));
const [minutePrefix, rosterPrefix] = ["MINUTE#", "ROSTER#"];

/** A minute of the history says what its run saw: no size and no value that nobody read, and no line over a gap. */
export function watchHistory({ clock, setting, ledgerOf, shards, violated }: Books) {
  const rosters = new Map<string, Roster>();
  const sizes = new Map<string, Set<number>>();
  const sizesOfRun = new WeakMap<Invocation, Map<string, Set<number>>>();

  function scaleAsked(by: Invocation, key: string): Set<number> {
    const own = sizesOfRun.get(by) ?? new Map<string, Set<number>>();
    sizesOfRun.set(by, own);
    const seen = own.get(key) ?? new Set<number>();
    own.set(key, seen);
    return seen;
  }

  function scaleSeen(by: Invocation, key: string, replicas: number): void {
    scaleAsked(by, key).add(replicas);
    sizes.set(key, (sizes.get(key) ?? new Set()).add(replicas));
  }

  function written({ pk, sk, after }: ItemWrite, by: Invocation): void {
    if (after === undefined) return;
    const room = { left: Infinity };
    if (sk.startsWith(rosterPrefix)) {
      const roster = decodeRoster(after, room);
      if (roster === undefined) violated(`history: ${sk} cannot be read`);
      else rosters.set(`${pk} ${roster.hash}`, roster);
    }
    if (!sk.startsWith(minutePrefix)) return;
    const minute = decodeMinute(after, room);
    const roster = minute && rosters.get(`${pk} ${minute.roster}`);
    if (minute === undefined || roster === undefined) return violated(`history: ${sk} cannot be read`);
    judgeGap(pk, minute);
    roster.keys.forEach((key, position) => {
      const { current, flags } = minute.columns;
      const size = current[position] ?? null;
      const ledger = ledgerOf(key);
      if ((flags[position] ?? null) === null || !isJudged(ledger, clock.now) || ledger.isSpoiled) return;
      judgeSize(ledger, { size, isPaused: ((flags[position] ?? 0) & paused) !== 0 }, by);
      const values = minute.columns.metrics.filter((_, index) => index % 2 === 0);
      values.forEach((column, metric) => judgeValue(ledger, { metric, value: column[position] ?? null }, by));
    });
  }

  /** The size of a paused HPA is the last one that was seen: a run reads it once a minute, perhaps in vain. */
  function judgeSize(
    { key }: Ledger,
    { size, isPaused }: { readonly size: HistorySample["current"]; readonly isPaused: boolean },
    by: Invocation,
  ): void {
    const seen = isPaused ? sizes.get(key) : (sizesOfRun.get(by)?.get(key) ?? sizes.get(key));
    if (size === null || seen?.has(size) === true) return;
    violated(`history: ${key} had ${size} replicas, and runs saw ${[...(seen ?? [])].join(", ") || "none"}`);
  }

  function judgeValue(
    ledger: Ledger,
    shown: { readonly metric: number; readonly value: number | null },
    by: Invocation,
  ) {
    const id = metricId(ledger.key, shown.metric);
    const own = (ledger.readings.get(id) ?? []).filter((reading) => reading.by === by);
    const isUnknown = own.length > 0 && own.every(({ value, isOdd }) => value === undefined && isOdd !== true);
    if (isUnknown && by.bodies.length === 1 && shown.value !== null)
      violated(`history: ${id} was ${shown.value}, and its run could not read it`);
  }

  /** Minutes in which no slot ran are unknown. */
  function judgeGap(pk: string, { from, slot, previous, gap }: HistoryMinute): void {
    const [before, ...others] = previous;
    const shard = shards().find((one) => pk.endsWith(`#${one.cluster}`) && one.from === from);
    if (before?.from !== from || others.length > 0 || shard === undefined || shard.slot >= slot) return;
    const known = shard.slot + Math.max(minuteMs, setting.periodSeconds * 1_000);
    if (known + minuteMs <= slot && (gap ?? Infinity) > known)
      violated(`history: ${from} says nothing of the time from slot ${shard.slot} to ${slot}`);
  }

  return { scaleAsked, scaleSeen, written };
}
