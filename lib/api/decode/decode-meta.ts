import type { Condition, ConditionStatus, ObjectMeta } from "../meta";
import { type Decoder, int64, list, object, omitEmpty, optional, optionalString, string, stringMap } from "./decoder";

/** meta/v1 ObjectMeta, the fields that are used here. Others (managedFields, finalizers, …) are the API server's business. */
export const decodeMeta = object<ObjectMeta>(
  {
    name: string,
    namespace: optionalString,
    uid: optionalString,
    resourceVersion: optionalString,
    generation: optional(int64),
    creationTimestamp: optionalString,
    deletionTimestamp: optionalString,
    labels: omitEmpty(stringMap),
    annotations: omitEmpty(stringMap),
  },
  "ignored",
);

const conditionStatus: Decoder<ConditionStatus> = (value, place) => {
  const status = string(value, place);
  return status === "True" || status === "False" ? status : "Unknown";
};

export const decodeConditions = list(
  object<Condition>(
    {
      type: string,
      status: conditionStatus,
      reason: optionalString,
      message: optionalString,
      lastTransitionTime: optionalString,
    },
    "ignored",
  ),
);
