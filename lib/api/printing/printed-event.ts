/** An event of an autoscaler as core/v1 has it. Times are milliseconds since the epoch; an absent one was never written. */
export interface PrintedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** How often it came since firstTimestamp. */
  readonly count: number;
  readonly firstTimestamp?: number;
  readonly lastTimestamp?: number;
  /** source.component, "horizontal-pod-autoscaler" if not given. */
  readonly source?: string;
}

export const EVENT_SOURCE = "horizontal-pod-autoscaler";
