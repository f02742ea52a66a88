import type { Static } from "typebox";
import type { Frozen } from "./schema/frozen";
import type * as schema from "./schema/metadata";

/** The parts of the Kubernetes object model that every kind shares (meta/v1), in the form in which the API serves them. */

export type ObjectMeta = Frozen<Static<typeof schema.ObjectMeta>>;

/** A structured selector. Absent selects everything, as upstream's metrics clients read it. */
export type LabelSelector = Frozen<Static<typeof schema.LabelSelector>>;
export type LabelSelectorRequirement = Frozen<Static<typeof schema.LabelSelectorRequirement>>;

/** autoscaling/v2 HorizontalPodAutoscalerCondition. `lastTransitionTime` is RFC 3339. */
export type Condition = Frozen<Static<typeof schema.Condition>>;
export type ConditionStatus = Condition["status"];
