import type { MetricRules } from "../../lib/model/metric/metric-rules";
import type { Imported, Past, Stepped } from "./step-ebb";
import type { Story, StoryStep, Told, ToldStep } from "./story";

/** One instant, in which KEDA took the target from `from` to `told.size`. */
export interface Instant {
  readonly story: Story;
  readonly imported: Imported;
  readonly past: Past;
  readonly step: StoryStep;
  readonly from: number;
  readonly told: ToldStep;
}

export interface Begun {
  readonly imported: Imported;
  readonly past: Past;
}

/**
 * A way in which ebb's steps differ from KEDA's. docs/keda-settings.md lists all of them. Each takes its cause away, so
 * that what is left of a story must be equal.
 */
export interface Row {
  readonly title: string;
  readonly keda: string;
  readonly ebb: string;
  readonly begin?: (told: { readonly story: Story; readonly told: Told }, begun: Begun) => Begun;
  readonly rules?: (instant: Instant) => readonly MetricRules[];
  /** The size at which KEDA's HPA syncs, if that is after its scale loop set one. */
  readonly syncedAt?: (instant: Instant, ours: Stepped) => number | undefined;
  readonly reads?: (instant: Instant) => Imported["read"] | undefined;
  readonly remembers?: (instant: Instant, after: Past) => Past;
  /** True if just this differs. KEDA's step is then taken over. */
  readonly accepts?: (instant: Instant, ours: Stepped) => boolean;
}
