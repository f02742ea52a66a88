import { withLatest } from "../model/stored/latest";
import type { ShardContents, Store } from "../model/ports/store";
import type { ShardRange } from "../model/stored/state";

/** With the latest values in each state. Rejects with a Fault. */
export async function loadWithLatest(
  store: Pick<Store, "load" | "latest">,
  range: ShardRange,
  signal: AbortSignal,
): Promise<ShardContents> {
  const [contents, latest] = await Promise.all([store.load(range, signal), store.latest(range, signal)]);
  const known = new Map(Object.entries(latest));
  const states = Object.entries(contents.states).map(([key, state]) => [key, withLatest(state, known.get(key))]);
  return { ...contents, states: Object.fromEntries(states) as ShardContents["states"] };
}
