import { readOperations, type Operations } from "../../model/entry/annotations";
import { validateStoredHpa } from "../../model/entry/validate-hpa-entry";
import { ownPeriodSeconds } from "../../model/entry/options";
import type { ListedHpa } from "../../model/ports/store";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";

export type ReadEntry =
  | {
      readonly hpa: HorizontalPodAutoscaler;
      readonly operations: Operations;
      /** Absent: the cluster's. */
      readonly syncPeriodSeconds?: number;
    }
  | { readonly errors: readonly string[] };

/** Nothing looks into a document before this. Never throws. */
export function readHpaEntry(listed: ListedHpa): ReadEntry {
  const { errors, hpa } = validateStoredHpa(listed);
  if (hpa === undefined) return { errors };
  const operations = readOperations(hpa.metadata);
  if ("errors" in operations) return operations;
  const syncPeriodSeconds = ownPeriodSeconds(hpa);
  return { hpa: withGeneration(hpa), operations, ...(syncPeriodSeconds !== undefined && { syncPeriodSeconds }) };
}

/** An item that ebb did not write may have none. The API server gives each new object its first. */
function withGeneration(hpa: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { generation = 1, ...metadata } = hpa.metadata;
  return { ...hpa, metadata: { ...metadata, generation } };
}
