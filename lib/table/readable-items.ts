import { present } from "../k8s/map";
import { Fault } from "../model/fault";
import { asHpaKey, type HpaKey } from "../model/hpa-key";
import type { Written } from "../model/ports/store";
import type { Shard } from "../model/stored/shard";
import type { DecisionRecord } from "../model/stored/state";
import type { WriteOutcome } from "./conditional-write";
import type { Item } from "./items/attributes";
import { decodeDecision, decodeState } from "./items/hpa-items";
import * as schema from "./items/keys";
import { decodeShard } from "./items/shard-item";

export function hpaKeyAfter(prefix: string, sk = ""): HpaKey {
  return asHpaKey(sk.slice(prefix.length));
}

/** @throws Fault badEntry if the stored item is unreadable: no sync can continue from it. */
export function written(
  outcome: WriteOutcome,
  { cluster, key, version }: { readonly cluster: string; readonly key: HpaKey; readonly version: number },
): Written {
  if (outcome.done) return { ok: true };
  const { mayBeApplied } = outcome;
  if (outcome.stored === undefined) return { ok: false, current: undefined, ...present({ mayBeApplied }) };
  const stored = decodeState(outcome.stored);
  if ("value" in stored) {
    const { value: current } = stored;
    return { ok: false, current, ...(current.version > version && present({ mayBeApplied })) };
  }
  const { pk, sk } = schema.stateKey(cluster, key);
  const todo = stored.isNewer ? "" : ": ebb does not overwrite the item; fix or delete it";
  throw new Fault("badEntry", `${pk} ${sk}: ${stored.broken}${todo}`);
}

/** @throws Fault badEntry */
export function readableDecision(item: Item): DecisionRecord {
  const decision = decodeDecision(item);
  if ("value" in decision) return decision.value;
  throw new Fault("badEntry", `${item.pk?.S ?? ""} ${item.sk?.S ?? ""}: ${decision.broken}: delete the item`);
}

/** @throws Fault badEntry without `onBroken` */
export function readableShard(item: Item, onBroken?: (message: string) => void): readonly Shard[] {
  const shard = decodeShard(item);
  if ("value" in shard) return [shard.value];
  const todo = shard.isNewer ? "" : ": delete the item, and the tick creates it again";
  const message = `${schema.shardPk} ${item.sk?.S ?? ""}: ${shard.broken}${todo}`;
  if (onBroken === undefined) throw new Fault("badEntry", message);
  onBroken(message);
  return [];
}
