import type { Readable } from "node:stream";
import type { HorizontalPodAutoscaler } from "../../lib/api/hpa";
import { failure } from "../failure";
import { readGiven } from "./read-given";
import { readInputs } from "./read-inputs";

/** The autoscalers of some files, defaulted. @throws Failure with file, line and field of everything that is no valid one. */
export async function readHpas(files: readonly string[], stdin: Readable): Promise<readonly HorizontalPodAutoscaler[]> {
  const given = readGiven(await readInputs(files, { stdin }), { namespace: "default" });
  const other = given.find(({ kind }) => kind !== "HorizontalPodAutoscaler");
  if (other !== undefined) throw failure(`${other.place}: kind: expected HorizontalPodAutoscaler, got ${other.kind}`);
  return given.map(({ document }) => document as unknown as HorizontalPodAutoscaler);
}
