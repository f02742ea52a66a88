import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";

/** One object as a real API server served it and a real kubectl printed it. */
export interface KubectlVector {
  readonly id: string;
  readonly v2: HorizontalPodAutoscaler;
  /** What kubectl gave for `hpa.v1.autoscaling`. */
  readonly v1: HorizontalPodAutoscaler;
  readonly get: readonly [header: string, row: string];
  readonly describe: string;
}

export function readKubectlVectors(): readonly KubectlVector[] {
  const lines = gunzipSync(readFileSync(join(__dirname, "../vectors/kubectl.jsonl.gz")))
    .toString("utf8")
    .trim();
  return lines.split("\n").map((line) => JSON.parse(line) as KubectlVector);
}
