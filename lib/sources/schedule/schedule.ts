import { BoundedMap } from "../../async/bounded-map";
import type { EpochMs } from "../../k8s/time";
import { isFault } from "../../model/fault";
import type { MetricSource, SourceQuery } from "../../model/ports/sources";
import { parseScheduleQuery, type ScheduleQuery, type Window } from "./schedule-query";

/** The value until the next possible change. */
interface Stretch {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly value: number;
}

/** Each window takes 0.2 ms to calculate. */
const mostCached = 10_000;

/**
 * The highest value of the open windows, or `outside`. A time that a day skips is the first instant after the gap; of
 * one that a day has twice, the first counts.
 */
export function openScheduleSource(): MetricSource {
  const cached = new BoundedMap<string, Stretch>(mostCached);

  function valueAt(now: EpochMs, query: SourceQuery): number {
    const key = JSON.stringify(query.parameters);
    const known = cached.get(key);
    if (known !== undefined && known.from <= now && now < known.until) return known.value;
    const stretch = stretchAt(now, parseScheduleQuery(query));
    cached.set(key, stretch);
    return stretch.value;
  }

  return {
    keepMs: () => 0,
    open({ now }) {
      const timestamp = new Date(now).toISOString();
      return {
        read(query) {
          const { metricName } = query;
          try {
            const value = String(valueAt(now, query));
            return Promise.resolve({ items: [{ metricName, metricLabels: {}, timestamp, value }] });
          } catch (error) {
            if (!isFault(error)) throw error;
            return Promise.resolve({ error: error.message, from: "schedule" });
          }
        },
      };
    },
  };
}

export function stretchAt(now: EpochMs, { windows, outside }: ScheduleQuery): Stretch {
  const values = windows.flatMap((window) => (isOpen(window, now) ? [window.value] : []));
  const changes = windows.flatMap(({ start, end }) => [nextAfter(start, now), nextAfter(end, now)]);
  return { from: now, until: Math.min(...changes), value: values.length > 0 ? Math.max(...values) : outside };
}

/** Open if the last start is not before the last end. */
function isOpen({ start, end }: Window, now: EpochMs): boolean {
  const [started, ended] = [lastOf(start, now), lastOf(end, now)];
  return started > -Infinity && started >= ended;
}

/** Croner leaves out the instant itself. */
function lastOf(cron: Window["start"], now: EpochMs): EpochMs {
  const [last] = cron.previousRuns(1, new Date(now + 1));
  return last?.getTime() ?? -Infinity;
}

function nextAfter(cron: Window["start"], now: EpochMs): EpochMs {
  return cron.nextRun(new Date(now))?.getTime() ?? Infinity;
}
