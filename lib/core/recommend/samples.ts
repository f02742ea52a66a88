import { parseMilli } from "../../api/quantity";
import type { MetricValue, PodMetrics } from "../../api/metric-values";
import { int64, quantityOf } from "../replica-math";

/** One pod's value, with the moment and the span it was measured over, as the API wrote them. */
export interface Sample {
  readonly milli: bigint;
  readonly timestamp: string;
  /** A Go duration ("30s"), or seconds. */
  readonly window: string | number;
}

/** By pod name. A pod whose sample says nothing about the resource is not in it, and counts as missing. */
export type Samples = ReadonlyMap<string, Sample>;

const DEFAULT_WINDOW_SECONDS = 60;

/** The whole pod's use: of all containers, each of which has to know the resource. Upstream: getPodMetrics. */
export function podSamples(items: readonly PodMetrics[], resource: string): Samples {
  const samples = new Map<string, Sample>();
  for (const { metadata, containers, timestamp, window } of items) {
    let milli: bigint | undefined = containers.length === 0 ? undefined : 0n;
    for (const { usage } of containers) {
      const quantity = quantityOf(usage, resource);
      milli = milli === undefined || quantity === undefined ? undefined : int64(milli + parseMilli(quantity));
    }
    if (milli !== undefined) samples.set(metadata.name, { milli, timestamp, window });
  }
  return samples;
}

/** One container's use. Upstream: getContainerMetrics. */
export function containerSamples(items: readonly PodMetrics[], resource: string, container: string): Samples {
  const samples = new Map<string, Sample>();
  for (const { metadata, containers, timestamp, window } of items) {
    const quantity = quantityOf(containers.find(({ name }) => name === container)?.usage, resource);
    if (quantity !== undefined) samples.set(metadata.name, { milli: parseMilli(quantity), timestamp, window });
  }
  return samples;
}

/** A metric that pods have of their own. Upstream: GetRawMetric. */
export function customSamples(items: readonly MetricValue[]): Samples {
  const samples = new Map<string, Sample>();
  for (const { describedObject, timestamp, value, windowSeconds } of items) {
    const window = windowSeconds ?? DEFAULT_WINDOW_SECONDS;
    samples.set(describedObject.name, { milli: parseMilli(value), timestamp, window });
  }
  return samples;
}
