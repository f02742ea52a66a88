import type { ExternalMetricValue } from "../../../lib/k8s/objects";
import type { WorldClock } from "./clock";
import { keyOfMetric } from "./metric-id";
import { mix } from "./wire";

/** Counts settle within a minute, less the 2 s by which a slot may be late and the second that its calls take. */
const lagMs = 57_000;
const timestamp = "2026-03-01T12:00:00Z";

interface Moment {
  readonly at: number;
  readonly visible: number;
  readonly inFlight: number;
}

export interface StaleDeps {
  readonly clock: WorldClock;
  readonly seed: number;
  readonly replicasOf: (key: string) => number;
  /** From here on nothing spikes. */
  readonly spikesUntil: number;
}

/**
 * Queues as SQS counts them: those of the metrics named "stale". Messages are visible until a replica receives them,
 * each count lags by itself, and an idle queue counts messages in flight that are not there.
 */
export function openStaleLoads({ clock, seed, replicasOf, spikesUntil }: StaleDeps) {
  const pasts = new Map<string, Moment[]>();
  const pastOf = (id: string) => pasts.get(id) ?? [];
  const dice = (id: string, what: number, every: number, at: number) =>
    mix(seed + what, [...id].reduce((hash, letter) => hash * 31 + letter.charCodeAt(0), 7) | 0, Math.floor(at / every));

  function moved(id: string, visible: number, inFlight: number): void {
    const past = pastOf(id);
    const known = past.findLastIndex(({ at }) => at <= clock.now - lagMs);
    pasts.set(id, [...past.slice(Math.max(0, known)), { at: clock.now, visible, inFlight }]);
  }

  /** As soon as there is a replica. */
  function receive(id: string, sentAt: number): void {
    const last = pastOf(id).at(-1);
    if (last?.at !== sentAt || last.visible === 0) return;
    if (replicasOf(keyOfMetric(id)) > 0) moved(id, 0, last.visible);
    else clock.after(3_000, undefined, () => receive(id, sentAt));
  }

  function lagged(id: string, count: "visible" | "inFlight"): number {
    const chance = dice(id, count === "visible" ? 1 : 2, 17_000, clock.now);
    const lag = [0, lagMs, chance % lagMs][chance % 3] ?? 0;
    return pastOf(id).findLast(({ at }) => at <= clock.now - lag)?.[count] ?? 0;
  }

  function spike(id: string): number {
    const isIdle = pastOf(id).every(
      ({ visible, inFlight }, index, past) =>
        visible + inFlight === 0 || (past[index + 1]?.at ?? Infinity) <= clock.now - lagMs,
    );
    const chance = dice(id, 3, lagMs, clock.now);
    return isIdle && clock.now < spikesUntil && chance % 4 === 0 ? 1 + (chance % 2) : 0;
  }

  return {
    load(id: string, depth: number): void {
      moved(id, depth, 0);
      const sentAt = clock.now;
      if (depth > 0) clock.after(dice(id, 4, 1, sentAt) % 40_000, undefined, () => receive(id, sentAt));
    },
    truth(id: string): number {
      const { visible = 0, inFlight = 0 } = pastOf(id).at(-1) ?? {};
      return visible + inFlight;
    },
    /** Since when its messages are where they are; undefined: it has none. */
    workSince(id: string): number | undefined {
      const last = pastOf(id).at(-1);
      return last === undefined || last.visible + last.inFlight === 0 ? undefined : last.at;
    },
    counted(id: string): ExternalMetricValue {
      const [visible, inFlight] = [lagged(id, "visible"), lagged(id, "inFlight") + spike(id)];
      const metricLabels = inFlight === 0 ? {} : { certain: String(visible) };
      return { metricName: id, metricLabels, timestamp, value: String(visible + inFlight) };
    },
  };
}

export type StaleLoads = ReturnType<typeof openStaleLoads>;
