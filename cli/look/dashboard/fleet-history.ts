import { setImmediate as nextTurn } from "node:timers/promises";
import { someAtATime } from "../../../lib/async/semaphore";
import { dayMs, type EpochMs, hourMs, periodStart } from "../../../lib/k8s/time";
import type { HpaKey } from "../../../lib/model/hpa-key";
import type { HistoryReader } from "../../../lib/model/ports/history";
import { blockOf, flagsIn, type HistoryPoint } from "../../../lib/model/stored/history";
import { pointsIn } from "../../../lib/model/stored/history-points";
import { holdsKey } from "../../../lib/model/stored/last-observed";
import type { Shard } from "../../../lib/model/stored/shard";
import { knownUntil } from "../../../lib/read/history";
import type { FleetRow, FleetSaved } from "../../../lib/read/page/fleet-row";

type Recent = NonNullable<FleetRow["recent"]>;

interface Known {
  readonly recent: Recent;
  /** Counted in `saved`. */
  readonly until: EpochMs;
}

export interface FleetHistory {
  /** Takes up what slots have added. Resolves to whether it read. Rejects with a Fault. */
  read(shard: Shard, signal: AbortSignal): Promise<boolean>;
  /** The month before, of HPAs that `read` met first. Rejects with a Fault. */
  countBlocks(signal: AbortSignal): Promise<void>;
  recentOf(cluster: string, key: HpaKey): Recent | undefined;
  /** Undefined: nothing is known yet. */
  saved(): FleetSaved | undefined;
}

const keysATime = 50;
const hpasATime = 4;
const readEveryMs = 60_000;

export function fleetHistory(history: HistoryReader, now: () => EpochMs, dollarsPerHour: number): FleetHistory {
  const known = new Map<string, Known>();
  const reads = new Map<string, { readonly at: EpochMs; readonly seen: EpochMs }>();
  const uncounted: { readonly cluster: string; readonly key: HpaKey; readonly until: EpochMs }[] = [];
  const savedMs = new Map<EpochMs, number>();
  let since = Infinity;
  let isWhole = false;

  function count(points: readonly HistoryPoint[], { from, until }: { from: EpochMs; until: EpochMs }): void {
    points.forEach(({ at, sample, spec }, index) => {
      const start = Math.max(at, from, monthStart(now()));
      const end = Math.min(points[index + 1]?.at ?? until, until);
      if (sample === null || end <= start) return;
      since = Math.min(since, start);
      if (sample.current !== 0 || flagsIn(sample.flags).some((flag) => flag === "notOurZero" || flag === "dryRun"))
        return;
      for (let day = periodStart(start, dayMs); day < end; day += dayMs) {
        const ms = Math.min(end, day + dayMs) - Math.max(start, day);
        savedMs.set(day, (savedMs.get(day) ?? 0) + ms * Math.max(1, spec?.minReplicas ?? 1));
      }
    });
  }

  async function read(shard: Shard, signal: AbortSignal): Promise<boolean> {
    const { cluster, from, history: record } = shard;
    const id = idOf(cluster, from);
    const last = reads.get(id);
    if (record === undefined || now() - (last?.at ?? -Infinity) < readEveryMs) return false;
    const hourAgo = now() - hourMs;
    const first = Math.min(record.packed, hourAgo, last?.seen ?? Infinity);
    const chain = await history.chain(cluster, record.last, first, signal);
    const keys = [...new Set([...chain.rosters.values()].flatMap((roster) => roster.keys))];
    for (const [index, key] of keys.filter((one) => holdsKey(shard, one)).entries()) {
      if (index % keysATime === keysATime - 1) await nextTurn();
      const points = pointsIn(chain, key);
      const until = knownUntil(shard, key) ?? record.packed;
      const before = known.get(idOf(cluster, key));
      if (before === undefined) uncounted.push({ cluster, key, until: record.packed });
      count(points, { from: before?.until ?? record.packed, until });
      known.set(idOf(cluster, key), { recent: recentIn(points, { hourAgo, until, last: before?.recent }), until });
    }
    reads.set(id, { at: now(), seen: Math.min(record.seen, record.lost ?? Infinity) });
    return true;
  }

  async function countBlocks(signal: AbortSignal): Promise<void> {
    const from = blockOf(monthStart(now()));
    const all = uncounted.splice(0);
    try {
      await someAtATime(all, { limit: hpasATime, signal }, async ({ until, ...hpa }) => {
        count(await history.blocks(hpa, { since: from, until }, signal), { from, until });
      });
      isWhole = true;
    } catch (error) {
      // From the start, or some hours would count twice.
      for (const forgotten of [known, reads, savedMs]) forgotten.clear();
      since = Infinity;
      throw error;
    }
  }

  return {
    read,
    countBlocks,
    recentOf: (cluster, key) => known.get(idOf(cluster, key))?.recent,
    saved() {
      if (since === Infinity || !isWhole) return undefined;
      const month = monthStart(now());
      const hours = (from: EpochMs) =>
        [...savedMs].reduce((sum, [day, ms]) => (day >= from ? sum + ms / hourMs : sum), 0);
      return {
        today: hours(periodStart(now(), dayMs)),
        month: hours(month),
        since: Math.max(since, month),
        dollarsPerHour,
      };
    },
  };
}

interface Drawn {
  readonly hourAgo: EpochMs;
  readonly until: EpochMs;
  readonly last: Recent | undefined;
}

/** The same until a size changes, or a change is older than an hour. */
function recentIn(points: readonly HistoryPoint[], { hourAgo, until, last }: Drawn): Recent {
  const sizes: [EpochMs, number | null][] = [];
  for (const { at, sample } of points) {
    const size = at >= until ? null : (sample?.current ?? null);
    if (at < until && (sizes.at(-1) === undefined || sizes.at(-1)?.[1] !== size)) sizes.push([at, size]);
  }
  const begin = Math.max(
    0,
    sizes.findLastIndex(([at]) => at <= hourAgo),
  );
  const recent = sizes.slice(begin);
  const [first, ...changes] = recent;
  const [lastFirst, ...lastChanges] = last ?? [];
  const isSame = first?.[1] === lastFirst?.[1] && JSON.stringify(changes) === JSON.stringify(lastChanges);
  return isSame && last !== undefined ? last : recent;
}

function idOf(cluster: string, key: string): string {
  return `${cluster} ${key}`;
}

/** In UTC, as AWS bills. */
function monthStart(now: EpochMs): EpochMs {
  const at = new Date(now);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}
