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
