import type { HpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import type { State } from "../../model/stored/state";
import { readHpaEntry } from "../hpa/read-entry";
import type { HpaTask } from "../hpa/hpa-result";
import type { ShardContents, Store } from "../../model/ports/store";
import type { SlotMessage } from "../../model/messages";

const tries = 3;

/**
 * The next slot writes these states in any case, so a paused wake meets a conflict. Of two deliveries, the second wins.
 *
 * @returns the HPAs left to do
 */
export async function claimAll(
  store: Store,
  hpas: ShardContents["hpas"],
  {
    contents,
    slotMessage,
    signal,
  }: { readonly contents: ShardContents; readonly slotMessage: SlotMessage; readonly signal: AbortSignal },
): Promise<readonly Pick<HpaTask, "key" | "document" | "entry" | "state">[]> {
  const ended = await Promise.allSettled(
    hpas.map(async (listed) => {
      const { key, document } = listed;
      const found = Object.hasOwn(contents.states, key) ? contents.states[key] : undefined;
      const claimed = await claim(store, found, { key, slotMessage, signal });
      return claimed === "overtaken" ? [] : [{ key, document, entry: readHpaEntry(listed), state: claimed.state }];
    }),
  );
  return ended.flatMap((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

async function claim(
  store: Store,
  found: State | undefined,
  {
    key,
    slotMessage,
    signal,
  }: { readonly key: HpaKey; readonly slotMessage: SlotMessage; readonly signal: AbortSignal },
): Promise<{ readonly state: State | undefined } | "overtaken"> {
  const at = slotMessage.slot;
  let current = found;
  for (let attempt = 1; attempt <= tries; attempt++) {
    if (current === undefined) return { state: undefined };
    if (isAhead(current, at)) return "overtaken";
    const state: State = { ...current, version: current.version + 1, wake: { at, done: false } };
    const written = await store.putState(slotMessage.cluster, key, state, signal);
    if (written.ok) return { state };
    current = written.current;
  }
  return "overtaken";
}

/** A later slot, or a wake that is done or newer, has written the state. */
export function isAhead({ slot, wake }: State, at: EpochMs): boolean {
  return slot >= at || (wake !== undefined && (wake.at > at || (wake.at === at && wake.done)));
}
