import { isMap } from "../../../../lib/k8s/map";
import type { Fields, Note } from "./left-over";

/** `kept`: the annotations of neither KEDA nor kubectl. */
export interface Pauses {
  readonly paused: boolean;
  readonly scaleIn: boolean;
  readonly scaleOut: boolean;
  readonly kept: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
}

const prefix = "autoscaling.keda.sh/";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Upstream: NeedToBePausedByAnnotation and getBoolAnnotation, apis/keda/v1alpha1/scaledobject_types.go. */
export function readPauses(given: unknown): Pauses {
  const annotations = new Map(isMap(given) ? Object.entries(given).map(([name, value]) => [name, String(value)]) : []);
  const isOn = (name: string) => isTrue(annotations.get(`${prefix}${name}`));
  const size = annotations.get(`${prefix}paused-replicas`);
  const notes: Note[] = [];
  const note = (name: string, text: string) => void notes.push({ field: `metadata.annotations[${name}]`, text });
  if (size !== undefined) {
    note(`${prefix}paused-replicas`, `becomes a pause at the current size: scale the target to ${size} yourself`);
  }
  if (isOn("force-activation")) {
    note(`${prefix}force-activation`, "is not carried over: set minReplicas to 1 while you need it");
  }
  const kept = [...annotations].filter(([name]) => name !== lastApplied && !name.includes("keda.sh/"));
  for (const name of annotations.keys()) {
    if (name.includes("keda.sh/") && !name.startsWith(prefix)) note(name, "is not carried over: only KEDA uses it");
  }
  return {
    paused: size !== undefined || isOn("paused"),
    scaleIn: isOn("paused-scale-in"),
    scaleOut: isOn("paused-scale-out"),
    kept: Object.fromEntries(kept),
    notes,
  };
}

/** Like Go's ParseBool, except that a text that is not a boolean counts as true. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && !["0", "f", "F", "false", "False", "FALSE"].includes(text);
}

/** The default of KEDA's cooldownPeriod, and of an HPA's scale-down window. */
const DEFAULT_SECONDS = 300;
/** The HPA API's limit. */
const LONGEST_SECONDS = 3600;

interface Given {
  /** spec.advanced.horizontalPodAutoscalerConfig.behavior */
  readonly given: unknown;
  readonly cooldownSeconds: number | undefined;
  /** A cooldown delays only the step to zero. */
  readonly toZero: boolean;
  readonly pauses: Pick<Pauses, "scaleIn" | "scaleOut">;
}

/**
 * Adds one-sided pauses, and a scale-down window of at least the cooldown.
 *
 * KEDA waits for its cooldown before the last step to zero, and for the window before every other step down. An HPA
 * waits for the window before each. With the longer of the two, no replica stops earlier than with KEDA.
 */
export function convertBehavior({ given, cooldownSeconds, toZero, pauses }: Given): {
  readonly behavior?: Fields;
  readonly notes: readonly Note[];
} {
  const behavior = isMap(given) ? given : {};
  const [up, down] = [
    isMap(behavior["scaleUp"]) ? behavior["scaleUp"] : {},
    isMap(behavior["scaleDown"]) ? behavior["scaleDown"] : {},
  ];
  const window = Number(down["stabilizationWindowSeconds"] ?? DEFAULT_SECONDS);
  const cooldown = toZero ? (cooldownSeconds ?? DEFAULT_SECONDS) : 0;
  const longer = Math.min(Math.max(window, cooldown), LONGEST_SECONDS);
  const scaleDown = {
    ...down,
    ...(longer !== window && { stabilizationWindowSeconds: longer }),
    ...(pauses.scaleIn && { selectPolicy: "Disabled" }),
  };
  const scaleUp = { ...up, ...(pauses.scaleOut && { selectPolicy: "Disabled" }) };
  const whole = {
    ...behavior,
    ...(Object.keys(scaleUp).length > 0 && { scaleUp }),
    ...(Object.keys(scaleDown).length > 0 && { scaleDown }),
  };
  const notes = toZero && cooldown !== window ? [cooldownNote(cooldown, window, longer)] : [];
  return Object.keys(whole).length === 0 ? { notes } : { behavior: whole, notes };
}

function cooldownNote(cooldown: number, window: number, longer: number): Note {
  const field = "spec.cooldownPeriod";
  if (cooldown < window) {
    return {
      field,
      text: `was ${cooldown} s: ebb waits for the scale-down window of ${window} s before zero, as before any other step down`,
    };
  }
  const cut = cooldown > longer ? `, the longest that an HPA may have` : "";
  return {
    field,
    text: `becomes a scale-down window of ${longer} s${cut}: every step down waits for it, not only the last one`,
  };
}
