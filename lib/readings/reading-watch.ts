import type { EpochMs } from "../k8s/time";

/** In one run, distinguishes a metric that did not answer from a process that stood still and could not hear any. */
export interface ReadingWatch {
  /** `stoodStill`: the reading proves nothing, because no reading of any HPA ended while the process could hear it. */
  watch<T>(read: () => Promise<T>): Promise<{ readonly read: T; readonly stoodStill: boolean }>;
  /** Readings that never end are watched no longer. */
  end(): void;
}

const everyMs = 250;
/** A busy process has later beats. */
const standstillMs = 1_000;

/**
 *     beats     |   |   |   |                 |   |
 *     reading       |---------- … ------------|       its time-out fires with the first beat: the process stood still
 *     another       |-----|                           and if this one ended meanwhile, the first one had its chance
 */
export function openReadingWatch(now: () => EpochMs, repeat = everySoOften): ReadingWatch {
  let lastBeat = now();
  let lastStandstill = -Infinity;
  let lastEnd = -Infinity;
  const beat = () => {
    const at = now();
    if (at - lastBeat >= everyMs + standstillMs) lastStandstill = at;
    lastBeat = at;
  };
  let open = 0;
  let end = () => {};

  return {
    async watch(read) {
      beat();
      const begun = now();
      open += 1;
      if (open === 1) end = repeat(beat);
      const found = await read().finally(() => {
        beat();
        open -= 1;
        if (open === 0) end();
      });
      const isLate = lastStandstill > begun;
      const stoodStill = isLate && lastEnd < begun;
      if (!isLate) lastEnd = now();
      return { read: found, stoodStill };
    },
    end: () => end(),
  };
}

function everySoOften(beat: () => void): () => void {
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => {
      beat();
      next();
    }, everyMs);
    // A run that somebody gave up keeps no process.
    timer.unref();
  };
  next();
  return () => clearTimeout(timer);
}
