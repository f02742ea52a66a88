import { isMap } from "../../../../lib/k8s/map";
import { type Harm, harms } from "../../../../lib/sources/keda";

export interface Note {
  readonly field: string;
  readonly text: string;
  readonly harm: Harm;
}

export const withoutEffect = (field: string): Note => ({ field, text: "makes no difference", harm: "none" });

export type Fields = Readonly<Record<string, unknown>>;

/** `left` returns a note for each field not taken, so none gets lost. */
export interface Taking {
  take(name: string): unknown;
  peek(name: string): unknown;
  left(): readonly Note[];
}

export function takeFrom(given: unknown, path: string): Taking {
  const fields = isMap(given) ? given : {};
  const taken = new Set<string>();
  const own = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  return {
    take(name) {
      taken.add(name);
      return own(name);
    },
    peek: own,
    left: () =>
      Object.keys(fields)
        .filter((name) => !taken.has(name))
        .map((name) => ({ field: `${path}.${name}`, text: "is not carried over", harm: "size" })),
  };
}

/** Undefined: not a scalar. */
export function settingText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** As KEDA reads a setting. Upstream, KEDA 2.21: configParamValue (pkg/scalers/scalersconfig/typed_config.go). */
export function trimmedSetting(value: unknown): string | undefined {
  return settingText(value)?.trim() || undefined;
}

const reasons: Readonly<Record<string, string | undefined>> = {
  ScaledObject: undefined,
  ScaledJob: "is left out: it starts Jobs, and ebb scales only workloads with replicas",
  TriggerAuthentication: "is left out: in ebb, each source names its own secret",
  ClusterTriggerAuthentication: "is left out: in ebb, each source names its own secret",
};

/** Undefined: converted, or of a kind that KEDA does not have. */
export function whyLeftOut(object: Fields): string | undefined {
  const { kind, apiVersion } = object;
  if (typeof kind !== "string" || !Object.hasOwn(reasons, kind)) return undefined;
  if (!isOfKeda(object))
    return `is left out: it is of ${settingText(apiVersion) ?? "another group"}, and KEDA's is of keda.sh/v1alpha1`;
  return reasons[kind];
}

/** True without an apiVersion, too, which is a mistake of its own. KEDA 1 had keda.k8s.io. */
export function isOfKeda({ apiVersion }: { readonly apiVersion?: unknown }): boolean {
  return apiVersion === undefined || /^keda\.(sh|k8s\.io)(\/|$)/.test(settingText(apiVersion) ?? "");
}

/** The most harmful first, and one line for all settings without an effect. */
export function noteLines(notes: readonly Note[]): readonly string[] {
  const effective = harms
    .filter((harm) => harm !== "none")
    .flatMap((harm) => notes.filter((note) => note.harm === harm));
  const idle = notes.filter(({ harm }) => harm === "none").map(({ field }) => field);
  const lines = effective.map(({ field, text }) => `${field} ${text}`);
  const all = idle.length === 0 ? lines : [...lines, `no difference without ${[...new Set(idle)].join(", ")}`];
  return all.map((line) => line.replace(/\s+/g, " ")); // each is a one-line comment
}

export type ConversionResult = "completely" | "loss" | "held" | "refused";

export function conversionOf(notes: readonly Note[]): ConversionResult {
  if (notes.some(({ harm }) => harm === "held")) return "held";
  return notes.every(({ harm }) => harm === "step" || harm === "none") ? "completely" : "loss";
}

const words: Readonly<Record<ConversionResult, string>> = {
  completely: "converted completely",
  loss: "with a loss",
  held: "held",
  refused: "refused",
};

/** "8 converted completely, 3 with a loss, 1 held" */
export function conversionsText(outcomes: readonly ConversionResult[]): string {
  const counted = (Object.keys(words) as ConversionResult[]).map((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length;
    return count === 0 ? [] : [`${count} ${words[outcome]}`];
  });
  return counted.flat().join(", ");
}
