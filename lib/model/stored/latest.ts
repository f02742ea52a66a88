import type { HpaKey } from "../hpa-key";
import type { LatestValues, State } from "./state";

export type { LatestValues } from "./state";

/** The table's LATEST item: newer values that no decision needs. docs/decisions/0056-latest-values.md */
export type Latest = Readonly<Record<HpaKey, LatestValues>>;

/** A state written since is newer. */
export function withLatest(state: State, latest: LatestValues | undefined): State {
  if (latest?.version !== state.version) return state;
  const { warnings: _warnings, decision: _decision, ...rest } = state;
  const { status, decision, warnings } = latest;
  return { ...rest, status, ...(decision && { decision }), ...(warnings && { warnings }) };
}
