import type { Decision, EpochMs } from "../core/situation";
import { type Item, toItem } from "./attributes";
import { decisionKey, expiresAtAttribute } from "./schema";

/** Why an HPA scaled, once. The shape of the sync's port of the same name. */
export interface DecisionRecord {
  readonly cluster: string;
  /** "namespace/name" */
  readonly key: string;
  readonly at: EpochMs;
  readonly decision: Pick<Decision, "scaleTo" | "desiredReplicas" | "events" | "steps"> & { readonly from: number };
}

export function encodeDecision({ cluster, key, at, decision }: DecisionRecord, expiresAt: EpochMs): Item {
  const { from, scaleTo, desiredReplicas, events, steps } = decision;
  return toItem({
    ...decisionKey(cluster, key, at),
    at,
    from,
    scaleTo,
    desiredReplicas,
    events,
    steps,
    [expiresAtAttribute]: Math.ceil(expiresAt / 1000),
  });
}
