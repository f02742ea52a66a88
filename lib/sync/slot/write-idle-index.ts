import { createHash } from "node:crypto";
import { isFault } from "../../model/fault";
import type { HpaKey } from "../../model/hpa-key";
import type { Idle, IdleRef } from "../../model/stored/idle";
import type { SlotMessage } from "../../model/messages";
import type { Shard } from "../../model/stored/shard";
import type { SyncContext, SyncPorts } from "../ports";

/** A late run may write an older set, which stays no longer than this. */
const rewrittenAfterMs = 10 * 60_000;

interface IdleOutcome {
  readonly shard: Shard;
  readonly idle: Idle;
  readonly unpolled: readonly HpaKey[];
  readonly message: SlotMessage;
  readonly context: SyncContext;
}

/** Writes only if the set changed, or once in ten minutes. @returns undefined: nothing to poll */
export async function writeIdleIndex(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  { shard, idle, unpolled, message, context }: IdleOutcome,
): Promise<IdleRef | undefined> {
  const { cluster, idle: before } = shard;
  if (Object.keys(idle).length === 0 && unpolled.length === 0) return undefined;
  const hash = hashOf(idle, unpolled);
  if (before?.hash === hash && message.slot - before.at < rewrittenAfterMs) return before;
  try {
    const leftOut = await store.putIdle(shard, idle, context.signal);
    if (before?.hash !== hash) {
      const at = context.now();
      if (unpolled.length > 0) reporter.failed({ ...tooLarge(unpolled), cluster, at });
      if (leftOut.length > 0) reporter.failed({ ...notPacked(leftOut), cluster, at });
    }
    return { hash, at: message.slot };
  } catch (error) {
    if (!isFault(error)) throw error;
    reporter.failed({ cluster, reason: "IdleNotWritten", message: error.message, at: context.now() });
    return before;
  }
}

const mostNames = 10;

function tooLarge(unpolled: readonly HpaKey[]) {
  const what = `expected the HPAs at zero of a shard to take little enough to be watched, these take more than their share`;
  return notWatched(what, unpolled);
}

/** Texts such as keys and tokens do not compress, so what fits is known when it is packed. */
function notPacked(leftOut: readonly HpaKey[]) {
  const what = `expected the HPAs at zero of a shard to fit into one item of the table, these do not fit beside the others`;
  return notWatched(what, leftOut);
}

function notWatched(what: string, keys: readonly HpaKey[]) {
  const names = keys.slice(0, mostNames).join(", ");
  const all = keys.length > mostNames ? `${names} and ${keys.length - mostNames} more` : names;
  const message = `${what}: ${all} (a limit of ebb): their slots wake them; use fewer metrics, or sources with shorter parameters`;
  return { reason: "IdleNotWatched", message };
}

function hashOf(idle: Idle, unpolled: readonly HpaKey[]): string {
  const hash = createHash("sha256").update("{");
  for (const [index, [key, hpa]] of Object.entries(idle).entries())
    hash.update(`${index === 0 ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(hpa)}`);
  if (unpolled.length > 0) hash.update(JSON.stringify(unpolled));
  return hash.update("}").digest("base64url").slice(0, 16);
}
