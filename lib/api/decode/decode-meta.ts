import type { Condition, ConditionStatus, ObjectMeta } from "../meta";
import { type Decoder, int64, list, object, omitEmpty, optional, optionalString, string, stringMap } from "./decoder";

/** What only the API server uses: allowed, and left out. */
const notRead: Decoder<undefined> = () => undefined;

type ApiServersOwn = "selfLink" | "deletionGracePeriodSeconds" | "ownerReferences" | "finalizers" | "managedFields";

/** meta/v1 ObjectMeta. */
export const decodeMeta = object<ObjectMeta & Partial<Record<ApiServersOwn, undefined>>>({
  name: string,
  generateName: optionalString,
  namespace: optionalString,
  uid: optionalString,
  resourceVersion: optionalString,
  generation: optional(int64),
  creationTimestamp: optionalString,
  deletionTimestamp: optionalString,
  labels: omitEmpty(stringMap),
  annotations: omitEmpty(stringMap),
  selfLink: notRead,
  deletionGracePeriodSeconds: notRead,
  ownerReferences: notRead,
  finalizers: notRead,
  managedFields: notRead,
});

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
