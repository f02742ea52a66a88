/** A question to parity/keda/story.go: a ScaledObject over time. */
export interface Story {
  readonly object: ScaledObject;
  readonly size: number;
  readonly steps: readonly StoryStep[];
}

export interface StoryStep {
  readonly now: string;
  /** One for each trigger: what its server answers, or the pods' usage in percent. null: it cannot be read. */
  readonly read: readonly (number | null)[];
  /** Somebody else scales just before. */
  readonly setTo?: number;
}

export interface ScaledObject {
  readonly metadata: Fields & { readonly name: string; readonly namespace: string; readonly creationTimestamp: string };
  readonly spec: Fields & { readonly triggers: readonly Trigger[] };
  readonly status?: { readonly lastActiveTime: string };
}

export interface Trigger extends Fields {
  readonly type: string;
  readonly name?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** KEDA's answer. */
export interface Told {
  readonly hpa: Fields;
  readonly steps: readonly ToldStep[];
}

export interface ToldStep {
  /** The size after a turn of KEDA's scale loop. */
  readonly polled: number;
  /** The size after the sync of KEDA's HPA, which follows. */
  readonly size: number;
  /** The time of the last activity moved. */
  readonly worked: boolean;
  /** External metrics that are in fallback after the loop's turn, and after the sync: a bit each. */
  readonly fallback: readonly [number, number];
}
