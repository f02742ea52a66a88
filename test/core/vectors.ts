import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export function readVectors<T>(name: string): readonly T[] {
  const text = gunzipSync(readFileSync(join(__dirname, "../vectors", `${name}.jsonl.gz`))).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
