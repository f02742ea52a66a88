/** All but `zero` are KEDA's words. */
export const fallbackBehaviors = [
  "static",
  "currentReplicas",
  "currentReplicasIfHigher",
  "currentReplicasIfLower",
  "zero",
] as const;
