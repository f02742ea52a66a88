/** Every list of states, the most urgent first. */
export const hpaStates = {
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

export type HpaState = keyof typeof hpaStates;

export const hpaStateNames = Object.keys(hpaStates) as readonly HpaState[];

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

export interface HpaSigns {
  /** Its only state: nothing decides. */
  readonly halt?: "failing" | "waiting" | "paused";
  readonly isFailing: boolean;
  readonly isLeftAtZero: boolean;
  readonly isDryRun: boolean;
  readonly isScaling: boolean;
  readonly holds: readonly HoldKind[];
  readonly size: number | null;
}

/** All that hold, at least one. Where one word has room, it is the first. */
export function statesOf(signs: HpaSigns): readonly [HpaState, ...HpaState[]] {
  const { halt, isFailing, isLeftAtZero, isDryRun, isScaling, holds, size } = signs;
  if (halt !== undefined) return [halt];
  const is: Readonly<Partial<Record<HpaState, boolean>>> = {
    failing: isFailing,
    notOurZero: isLeftAtZero,
    atMax: !isDryRun && holds.includes("maxReplicas"),
    held: !isDryRun && holds.some((by) => !isBound(by)),
    scaling: !isDryRun && isScaling,
    dryRun: isDryRun,
    atZero: size === 0 && !isLeftAtZero,
  };
  const [first = "steady", ...others] = hpaStateNames.filter((state) => is[state]);
  return [first, ...others];
}

function isBound(by: HoldKind): boolean {
  return by === "minReplicas" || by === "maxReplicas" || by === "from";
}

export const willNotWake = `will not wake: ${hpaStates.notOurZero.label}`;

/** "NOT-OUR-ZERO" */
export function columnWord(state: HpaState): string {
  return hpaStates[state].label.replaceAll(" ", "-").toUpperCase();
}
