import { parseGoBool } from "../../../../lib/k8s/go-text";
import { isMap } from "../../../../lib/k8s/map";
import { type Fields, type Note, withoutEffect } from "./left-over";

/** `kept`: the annotations of neither KEDA nor kubectl. */
export interface Pauses {
  readonly paused: boolean;
  readonly scaleIn: boolean;
  readonly scaleOut: boolean;
  /** `force-activation`: never zero. */
  readonly forced: boolean;
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
  if (size !== undefined) {
    const text = `becomes a pause at the current size: scale the target to ${size} yourself`;
    notes.push({ field: `metadata.annotations[${prefix}paused-replicas]`, text, harm: "size" });
  }
  const kept = [...annotations].filter(([name]) => name !== lastApplied && !name.includes("keda.sh/"));
  for (const name of annotations.keys()) {
    if (name.includes("keda.sh/") && !name.startsWith(prefix))
      notes.push(withoutEffect(`metadata.annotations[${name}]`));
  }
  return {
    paused: size !== undefined || isOn("paused"),
    scaleIn: isOn("paused-scale-in"),
    scaleOut: isOn("paused-scale-out"),
    forced: isOn("force-activation"),
    kept: Object.fromEntries(kept),
    notes,
  };
}

/** Like Go's ParseBool, except that a text that is not a boolean counts as true. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && parseGoBool(text) !== false;
}

/**
 * As newHPAForScaledObject of KEDA's controllers/keda/hpa.go: a pause to one side disables that side. An empty behavior
 * gets the defaults of one, other than none at all.
 */
export function convertBehavior(given: unknown, pauses: Pick<Pauses, "scaleIn" | "scaleOut">): Fields | undefined {
  const behavior = isMap(given) ? given : {};
  const whole = {
    ...behavior,
    ...(pauses.scaleOut && { scaleUp: withoutMoves(behavior["scaleUp"]) }),
    ...(pauses.scaleIn && { scaleDown: withoutMoves(behavior["scaleDown"]) }),
  };
  return !isMap(given) && Object.keys(whole).length === 0 ? undefined : whole;
}

function withoutMoves(given: unknown): Fields {
  return { ...(isMap(given) ? given : {}), selectPolicy: "Disabled" };
}
