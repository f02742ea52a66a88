import type { SourceEntry } from "../../lib/api/entries";
import { describeMeta } from "../../lib/api/printing/describe-meta";
import { goJson } from "../../lib/api/go-json";
import type { Entry } from "../../lib/table/entry";
import { isNotNamespace } from "./describe-cluster";
import { describeLines } from "./describe-lines";

/** A metric source's entry in the manner of `kubectl describe`. */
export function describeSource(
  document: Readonly<Record<string, unknown>>,
  entry: Entry<SourceEntry>,
  cluster: string,
): string {
  const [name = "", ...meta] = describeMeta({ ...(document["metadata"] as object), name: entry.key }).filter(
    isNotNamespace,
  );
  const lines = [
    name,
    `Cluster:\t${cluster}`,
    ...meta,
    ...("invalid" in entry ? [`Invalid:\t${entry.invalid}`] : describeSpec(entry.value.spec)),
  ];
  return describeLines(lines);
}

function describeSpec({ kind, parameters = {} }: SourceEntry["spec"]): readonly string[] {
  const lines = Object.entries(parameters).map(
    ([field, value]) => `  ${field}:\t${typeof value === "string" ? value : goJson(value)}`,
  );
  return [`Kind:\t${kind}`, ...(lines.length === 0 ? ["Parameters:\t<none>"] : ["Parameters:", ...lines])];
}
