import type { Sample } from "./samples";

/** Whether CloudWatch takes the statistic. */
export function isStatistic(name: string): boolean {
  return /^(Average|Sum|Minimum|Maximum|SampleCount|IQM)$|^(p|tm|wm|tc|ts)(100|\d{1,2}(\.\d{1,10})?)$|^(TM|WM|TC|TS|PR)\(.+\)$/.test(
    name,
  );
}

/**
 * A statistic over the samples of one period. Percentiles are interpolated between closest ranks; CloudWatch
 * approximates them, so tests of percentiles use samples where all methods agree. Of the trimmed ones only tmNN is
 * here.
 */
export function statisticOf(name: string, samples: readonly Sample[]): number {
  const values = samples.flatMap(({ value, count }) => new Array<number>(count).fill(value)).sort((a, b) => a - b);
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case "Average":
      return sum / values.length;
    case "Sum":
      return sum;
    case "Minimum":
      return values[0] ?? Number.NaN;
    case "Maximum":
      return values.at(-1) ?? Number.NaN;
    case "SampleCount":
      return values.length;
    default:
      return name.startsWith("tm")
        ? trimmedMean(values, Number(name.slice(2)))
        : percentile(values, Number(name.slice(1)));
  }
}

function percentile(sorted: readonly number[], percent: number): number {
  const priority = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(priority)] ?? Number.NaN;
  const high = sorted[Math.ceil(priority)] ?? Number.NaN;
  return low + (high - low) * (priority - Math.floor(priority));
}

/** The mean of the lowest `percent` of the samples. */
function trimmedMean(sorted: readonly number[], percent: number): number {
  const kept = sorted.slice(0, Math.max(1, Math.round((percent / 100) * sorted.length)));
  return kept.reduce((total, value) => total + value, 0) / kept.length;
}
