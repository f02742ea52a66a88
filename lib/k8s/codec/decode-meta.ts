import type { Condition, ConditionStatus, ObjectMeta } from "../objects";
import {
  type Decoder,
  int64,
  list,
  object,
  omitEmpty,
  optional,
  optionalString,
  string,
  stringMap,
  time,
} from "./decoder";

/** The API server's own: allowed, and left out. */
const notRead: Decoder<undefined> = () => undefined;

type ApiServersOwn = "selfLink" | "deletionGracePeriodSeconds" | "ownerReferences" | "finalizers" | "managedFields";

export const decodeMeta = object<ObjectMeta & Partial<Record<ApiServersOwn, undefined>>>({
  name: string,
  generateName: optionalString,
  namespace: optionalString,
  uid: optionalString,
  resourceVersion: optionalString,
  generation: optional(int64),
  creationTimestamp: time,
  deletionTimestamp: time,
  labels: omitEmpty(stringMap),
  annotations: omitEmpty(stringMap),
  selfLink: notRead,
  deletionGracePeriodSeconds: notRead,
  ownerReferences: notRead,
  finalizers: notRead,
  managedFields: notRead,
});

const conditionStatus: Decoder<ConditionStatus> = (value, context) => {
  const status = string(value, context);
  return status === "True" || status === "False" ? status : "Unknown";
};

export const decodeConditions = list(
  object<Condition>({
    type: string,
    status: conditionStatus,
    reason: optionalString,
    message: optionalString,
    lastTransitionTime: time,
    observedGeneration: optional(int64),
  }),
);
