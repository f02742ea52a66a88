import { isFields, type Note } from "./left-over";

/** What a ScaledObject's annotations say of it. `kept` are those that are nobody's in particular. */
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
  const annotations = new Map(
    isFields(given) ? Object.entries(given).map(([name, value]) => [name, String(value)]) : [],
  );
  const isOn = (name: string) => isTrue(annotations.get(`${prefix}${name}`));
  const size = annotations.get(`${prefix}paused-replicas`);
  const notes: Note[] = [];
  const note = (name: string, text: string) => void notes.push({ field: `metadata.annotations[${name}]`, text });
  if (size !== undefined) {
    note(`${prefix}paused-replicas`, `a pause here leaves the size as it is: scale the target to ${size} yourself`);
  }
  if (isOn("force-activation")) {
    note(`${prefix}force-activation`, "is not carried over: set minReplicas to 1 for as long as it is wanted");
  }
  const kept = [...annotations].filter(([name]) => name !== lastApplied && !name.includes("keda.sh/"));
  for (const name of annotations.keys()) {
    if (name.includes("keda.sh/") && !name.startsWith(prefix)) note(name, "is not carried over: it is for KEDA alone");
  }
  return {
    paused: size !== undefined || isOn("paused"),
    scaleIn: isOn("paused-scale-in"),
    scaleOut: isOn("paused-scale-out"),
    kept: Object.fromEntries(kept),
    notes,
  };
}

/** As Go's ParseBool; what is no boolean counts as true. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && !["0", "f", "F", "false", "False", "FALSE"].includes(text);
}
