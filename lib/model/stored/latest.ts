import type { HpaKey } from "../hpa-key";
import type { State } from "./state";

/** What one HPA shows, since the version of its state that is named. */
export type LatestValues = Pick<State, "version" | "status" | "decision" | "warnings">;

/**
 * What the HPAs of a shard show beyond their states: the table's LATEST item, as data. It holds values that moved and
 * nothing that a decision needs. docs/decisions/0056-latest-values.md
 */
export type Latest = Readonly<Record<HpaKey, LatestValues>>;

/** The state as it shows itself now. A state that was written since then is newer than its latest values. */
export function withLatest(state: State, latest: LatestValues | undefined): State {
  if (latest?.version !== state.version) return state;
  const { warnings: _warnings, decision: _decision, ...rest } = state;
  const { status, decision, warnings } = latest;
  return { ...rest, status, ...(decision && { decision }), ...(warnings && { warnings }) };
}
