import { isQuantity, parseMilli } from "../../../lib/k8s/quantity";
import type { MetricRules } from "../../../lib/model/metric-rules";
import type { FromKeda, KedaTrigger } from "../../../lib/sources/keda";
import { type Note, type Taking, settingText } from "./left-over";

/** What a trigger becomes: a resource metric of the pods, or a metric from a source. */
export type Converted = ResourceTrigger | SourceTrigger;

export interface ResourceTrigger {
  readonly resource: "cpu" | "memory";
  readonly container?: string;
  readonly target: string;
}

export interface SourceTrigger extends FromKeda {
  /** The kind of MetricSource. */
  readonly kind: string;
}

export interface TriggerReader extends KedaTrigger {
  readonly metadata: Taking;
}

export interface ReadTrigger extends TriggerReader {
  readonly notes: readonly Note[];
  /** What the trigger's own settings say about its metric, so far. */
  readonly rules: () => MetricRules;
}

export function readTrigger(metadata: Taking, path: string): ReadTrigger {
  const notes: Note[] = [];
  let rules: MetricRules = {};
  const note = (name: string, text: string) => void notes.push({ field: `${path}.${name}`, text });
  const text = (name: string) => {
    const fromEnv = metadata.take(`${name}FromEnv`);
    if (fromEnv !== undefined) {
      note(
        `${name}FromEnv`,
        `was the container's environment variable ${settingText(fromEnv)}: write the value of ${name} into the entry`,
      );
    }
    return settingText(metadata.take(name)) || undefined;
  };
  return {
    metadata,
    notes,
    rules: () => rules,
    note,
    text,
    required(name) {
      const value = text(name);
      if (value === undefined)
        note(name, "is missing: without it the metric cannot be read, and the HPA never scales down");
      return value;
    },
    flag: (name, fallback) => (text(name) ?? String(fallback)) === "true",
    activation(name) {
      const value = text(name);
      if (value === undefined || Number(value) === 0) return;
      if (isQuantity(value) && parseMilli(value) > 0n) rules = { activation: value };
      else note(name, "is not carried over: ebb's activation is a number, 0 or more");
    },
  };
}
