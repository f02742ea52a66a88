/** What a service takes in a second. What is not used at once is there for a second, and no longer. */
export interface Bucket {
  /** What is left now. */
  left(now: number): number;
  take(amount: number): void;
}

/** Full at first. It refills all the time, up to `most`. */
export function openBucket(perSecond: number, most: number = perSecond): Bucket {
  let level = most;
  let at: number | undefined;
  return {
    left(now) {
      level = Math.min(most, level + ((now - (at ?? now)) / 1_000) * perSecond);
      at = now;
      return level;
    },
    take: (amount) => void (level -= amount),
  };
}

/** The most within one of the windows that follow each other. */
export interface Peak {
  readonly most: number;
  note(amount: number, now: number): void;
}

export function openPeak(windowMs = 1_000): Peak {
  let [window, sum, most] = [0, 0, 0];
  return {
    get most() {
      return most;
    },
    note(amount, now) {
      const at = Math.floor(now / windowMs);
      if (at !== window) [window, sum] = [at, 0];
      sum += amount;
      most = Math.max(most, sum);
    },
  };
}
