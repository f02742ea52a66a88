import type { HorizontalPodAutoscaler, MetricSpec, Quantity } from "../../api/hpa";
import { isWithin, tolerancesOf } from "../replica-math";
import type { Options } from "../situation";
import type { MetricDetail, Step } from "../step";
import { metricLabel } from "./metric-label";

/** What one metric said, for a person. */
export interface MetricReading {
  readonly metric: string;
  /** "60 in all, 20 a pod"; absent where nothing could be read. */
  readonly read?: string;
  /** null: it cannot be told. */
  readonly asksFor: number | null;
  /** What else bears on the number: "within tolerance", pods that do not count. */
  readonly notes: readonly string[];
  /** Why it could not be read. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

export interface ReadingContext {
  /** undefined: the spec has other metrics than the decision had. */
  readonly spec: MetricSpec | undefined;
  /** The size that was found; null: the scale was not read. */
  readonly from: number | null;
  readonly hpa: HorizontalPodAutoscaler;
  readonly options: Options;
}

type MetricStep = Extract<Step, { stage: "metric" }>;

export function readingOf(step: MetricStep, { spec, from, hpa, options }: ReadingContext): MetricReading {
  const { replicas, detail } = step;
  const metric = spec === undefined ? (detail?.name ?? "a metric") : metricLabel(spec);
  if (replicas === null || detail === undefined) {
    const failure = { reason: step.limitedBy ?? "", message: step.because };
    return { metric, asksFor: replicas, notes: [], failure };
  }
  const { ratio } = detail;
  const isTolerated = ratio !== null && isWithin(ratio, tolerancesOf(hpa.spec.behavior, options));
  const isSoftened = replicas === from && !isTolerated && fillsIn(detail);
  const notes = [
    ...(isTolerated ? ["within tolerance"] : []),
    ...(isSoftened ? ["no change once pods without a sample are filled in"] : []),
    ...podNotes(detail),
  ];
  return { metric, read: amounts(detail), asksFor: replicas, notes };
}

function amounts({ averageUtilization, averageValue, value, target }: MetricDetail): string {
  if (averageUtilization !== undefined) return `${averageUtilization}% of what is requested, target ${target}%`;
  const total = value === undefined ? [] : [averageValue === undefined ? plain(value) : `${plain(value)} in all`];
  const average = averageValue === undefined ? [] : [`${plain(averageValue)} a pod`];
  return [...total, ...average, `target ${plain(target)}`].join(", ");
}

/** Thousandths are for machines: "11250m" is 11.25. */
function plain(quantity: Quantity): string {
  const text = String(quantity);
  return /^-?\d+m$/.test(text) ? String(Number(text.slice(0, -1)) / 1000) : text;
}

function fillsIn({ missing = 0, unready = 0 }: MetricDetail): boolean {
  return missing !== 0 || unready !== 0;
}

/** Pods whose own number did not count, where there are any. */
function podNotes({ missing = 0, unready = 0, ignored = 0 }: MetricDetail): readonly string[] {
  const kinds = [
    [missing, "without a sample"],
    [unready, "not ready yet"],
    [ignored, "on the way out"],
  ] as const;
  return kinds.flatMap(([pods, words]) => (pods > 0 ? [`${pods} ${pods === 1 ? "pod" : "pods"} ${words}`] : []));
}
