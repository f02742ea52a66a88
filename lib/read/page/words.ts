/** One word for each HPA in a list; the most urgent first. */
export const fleetStates = {
  failing: { label: "failing", means: "It cannot do all that it should." },
  notOurZero: { label: "not our zero", means: "It will not wake: somebody else scaled it to zero." },
  atMax: { label: "at max", means: "It is at maxReplicas, and its metrics ask for more." },
  held: { label: "held", means: "Something keeps the size from what the metrics ask for." },
  scaling: { label: "scaling", means: "Its size is changing." },
  waiting: { label: "not synced yet", means: "Its first sync is due." },
  dryRun: { label: "dry run", means: "It decides, and never scales." },
  paused: { label: "paused", means: "It neither decides nor scales." },
  atZero: { label: "at zero", means: "It has no work, and runs nothing." },
  steady: { label: "steady", means: "It has the size that its metrics ask for." },
} as const;

export type FleetState = keyof typeof fleetStates;

export const holdWords = {
  unknownMetric: "unknown metric",
  stabilization: "stabilization window",
  rate: "rate policy",
  minReplicas: "minReplicas",
  maxReplicas: "maxReplicas",
  from: "from of ebb.dev/zero",
  cooldown: "cooling down",
  confirm: "unconfirmed zero",
  busy: "busy pods",
} as const;

export type HoldKind = keyof typeof holdWords;

export { escapeLine } from "../../k8s/escape-terminal";
export { humanDuration } from "../../k8s/human-duration";
