import { isMap } from "../../../../lib/k8s/map";

export interface Note {
  readonly field: string;
  readonly text: string;
}

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
        .map((name) => ({ field: `${path}.${name}`, text: "is not carried over" })),
  };
}

/** Undefined: not a scalar. */
export function settingText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ScaledJob: "is left out: it starts Jobs, and ebb scales only workloads with replicas",
  TriggerAuthentication: "is left out: in ebb, each source names its own secret",
  ClusterTriggerAuthentication: "is left out: in ebb, each source names its own secret",
};

/** Undefined: not a KEDA object. */
export function whyLeftOut(kind: string): string | undefined {
  return Object.hasOwn(reasons, kind) ? reasons[kind] : undefined;
}
