import type { EpochMs } from "../k8s/time";
import { readOperations } from "../model/entry/annotations";
import { signsOf } from "../model/hpa-signs";
import { type HpaState, statesOf } from "../model/hpa-states";
import { type Halt, haltOf } from "./halt";
import type { HpaFacts } from "./hpa-facts";

/** The most urgent first. */
export function statesNow(facts: HpaFacts, now: EpochMs): readonly [HpaState, ...HpaState[]] {
  const { entry, state } = facts;
  const halt = haltOf(facts, now);
  if (halt !== undefined) return [stateOfHalt(halt)];
  if ("errors" in entry || state?.decision === undefined) return ["waiting"];
  const operations = readOperations(entry.hpa.metadata);
  return statesOf(signsOf(state, "dryRun" in operations && operations.dryRun));
}

export function stateOfHalt(halt: Halt): "failing" | "paused" | "waiting" {
  if (halt.reason === "Paused") return "paused";
  return halt.reason === "NeverSynced" && halt.cause.kind !== "shardFails" ? "waiting" : "failing";
}
