import { type Note, type Taking, textOf } from "./left-over";

/** What a trigger becomes: a metric of pods, or one that is read from a source. */
export type Converted = ResourceTrigger | SourceTrigger;

export interface ResourceTrigger {
  readonly resource: "cpu" | "memory";
  readonly container?: string;
  readonly target: string;
}

export interface SourceTrigger {
  /** The kind of MetricSource. */
  readonly kind: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A quantity: so much for each replica, or for all of them with metricType Value. */
  readonly target: string;
}

/** What a trigger's converter reads and says. Names are those of the trigger's metadata. */
export interface TriggerReader {
  readonly metadata: Taking;
  /** A setting; undefined and a note when it came from the container's environment. */
  text(name: string): string | undefined;
  /** Like text; a note when there is none. */
  required(name: string): string | undefined;
  flag(name: string, fallback: boolean): boolean;
  /** Below this value KEDA does not start the first replica. */
  activation(name: string): void;
  note(name: string, text: string): void;
}

export function readTrigger(metadata: Taking, path: string): TriggerReader & { readonly notes: readonly Note[] } {
  const notes: Note[] = [];
  const note = (name: string, text: string) => void notes.push({ field: `${path}.${name}`, text });
  const text = (name: string) => {
    const fromEnv = metadata.take(`${name}FromEnv`);
    if (fromEnv !== undefined) {
      note(
        `${name}FromEnv`,
        `was the container's environment variable ${textOf(fromEnv)}: ${name} has to be written out`,
      );
    }
    return textOf(metadata.take(name)) || undefined;
  };
  return {
    metadata,
    notes,
    note,
    text,
    required(name) {
      const value = text(name);
      if (value === undefined)
        note(name, "is missing: the metric cannot be read without it, and the HPA never scales down");
      return value;
    },
    flag: (name, fallback) => (text(name) ?? String(fallback)) === "true",
    activation(name) {
      const value = text(name);
      if (value === undefined || Number(value) === 0) return;
      note(
        name,
        `is not carried over: from zero, KEDA started at more than ${value}; here any value above 0 starts a replica`,
      );
    },
  };
}

/** An object of the parameters that are set. */
export function parameters(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A whole number as a number, anything else as it is: what reads it says what is wrong. */
export function numeric(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
