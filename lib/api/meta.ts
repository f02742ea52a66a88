/** The parts of the Kubernetes object model that every kind shares (meta/v1), in the form in which the API serves them. */

export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A structured selector. Absent selects everything, as upstream's metrics clients read it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export type ConditionStatus = "True" | "False" | "Unknown";

/** autoscaling/v2 HorizontalPodAutoscalerCondition. `lastTransitionTime` is RFC 3339. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}
