import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Decision } from "../../lib/model/situation";

/** What upstream answered, as recorded: see test/vectors/README.md. */
export interface Expected {
  readonly desiredReplicas: number;
  readonly scaleTo: number | null;
  readonly conditions: readonly unknown[];
  readonly currentMetrics: readonly unknown[];
  readonly events: readonly unknown[];
}

export function readVectors<T>(name: string): readonly T[] {
  const text = gunzipSync(readFileSync(join(__dirname, "../vectors", `${name}.jsonl.gz`))).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** The part of a decision that the recorder kept. */
export function recorded({ desiredReplicas, scaleTo, status, events }: Decision): Expected {
  const conditions = (status.conditions ?? []).map(({ type, status: value, reason, message }) => ({
    type,
    status: value,
    reason,
    message,
  }));
  return { desiredReplicas, scaleTo, conditions, currentMetrics: status.currentMetrics ?? [], events };
}
