import type { Fault } from "../../model/fault";
import { isFault } from "../../model/fault";
import type { CountedKeys, CountedStream } from "./redis-query";
import type { Reply } from "./redis-session";
import { badAnswer } from "../network/as-reading";

export type SendCommand = (command: readonly [string, ...string[]]) => Promise<Reply>;

export type Count = KnownCount | UnknownCount | Missing;

interface KnownCount {
  readonly value: number;
  readonly warning?: string;
}

interface Missing {
  readonly missing: string;
}

/** There is some work, and nobody knows how much. */
interface UnknownCount {
  readonly unknown: string;
  readonly atLeast: number;
}

const sizes: Readonly<Record<string, readonly [type: NonNullable<CountedKeys["type"]>, command: string]>> = {
  list: ["list", "LLEN"],
  set: ["set", "SCARD"],
  zset: ["sortedSet", "ZCARD"],
  hash: ["hash", "HLEN"],
};

/** Redis deletes a key with its last element, so a missing key is empty. */
export async function countKey(
  send: SendCommand,
  key: string,
  wanted: CountedKeys["type"],
): Promise<KnownCount | Missing> {
  const [, known] = Object.values(sizes).find(([type]) => type === wanted) ?? [];
  const command = known ?? (await commandOf(send, key));
  if (command === undefined) return { missing: `key ${JSON.stringify(key)}` };
  const value = numberOf(await send([command, key]));
  return value === 0 ? { missing: `key ${JSON.stringify(key)}` } : { value };
}

/** Undefined: there is no such key. */
async function commandOf(send: SendCommand, key: string): Promise<string | undefined> {
  const type = await send(["TYPE", key]);
  if (type === "none") return undefined;
  const [, command] = (typeof type === "string" && Object.hasOwn(sizes, type) ? sizes[type] : undefined) ?? [];
  if (command !== undefined) return command;
  const hint = type === "stream" ? "; name a stream with the parameter stream" : "";
  const got = typeof type === "string" && /^[\w-]{1,40}$/.test(type) ? type : "something else";
  throw badAnswer(`expected the key to be a list, set, sorted set or hash, got ${got}${hint}`);
}

export async function countStream(send: SendCommand, { stream, group, count }: CountedStream): Promise<Count> {
  const missing = `stream ${JSON.stringify(stream)}`;
  if (group === undefined) {
    const value = numberOf(await send(["XLEN", stream]));
    // Redis keeps an emptied stream. XLEN answers 0 for both.
    return value === 0 && (await send(["TYPE", stream])) === "none" ? { missing } : { value };
  }
  const groups = await groupsOf(send, stream);
  if (groups === undefined) return { missing };
  const found = groups.find((fields) => fields.get("name") === group);
  if (found === undefined && count === "pending") return { missing: `group ${JSON.stringify(group)} of the stream` };
  // Consumers often make their group when they start: until then, it has all to do, as in KEDA.
  if (found === undefined) return { value: numberOf(await send(["XLEN", stream])) };
  if (count === "pending") return { value: numberOf(found.get("pending")) };
  const pending = count === "lag" ? 0 : numberOf(found.get("pending"));
  const lag = await lagOf(send, stream, found);
  return "unknown" in lag ? { ...lag, atLeast: pending + lag.atLeast } : { ...lag, value: pending + lag.value };
}

/** Undefined: there is no such stream. */
async function groupsOf(
  send: SendCommand,
  stream: string,
): Promise<readonly ReadonlyMap<unknown, Reply>[] | undefined> {
  let reply: Reply;
  try {
    reply = await send(["XINFO", "GROUPS", stream]);
  } catch (error) {
    // "ERR no such key" has no code of its own.
    if ((await send(["TYPE", stream])) === "none") return undefined;
    throw error;
  }
  if (!Array.isArray(reply)) throw unexpected();
  return (reply as readonly Reply[]).map(fieldsOf);
}

/**
 * Trimming leaves the group's lag too high for good, up to Redis 8.0.2 and in Valkey, and deleting makes it null:
 * https://github.com/redis/redis/issues/13957. Entries that come between both commands count in the next slot.
 */
async function lagOf(
  send: SendCommand,
  stream: string,
  group: ReadonlyMap<unknown, Reply>,
): Promise<KnownCount | UnknownCount> {
  const lag = group.get("lag");
  if (lag === undefined) throw badAnswer("the server does not report a lag, which Redis does from version 7.0");
  // Below 0 after XGROUP SETID … ENTRIESREAD with too high a count.
  const value = lag === null || (typeof lag === "number" && lag < 0) ? undefined : numberOf(lag);
  if (value === 0) return { value };
  const whole = await streamOf(send, stream);
  const delivered = idOf(group.get("last-delivered-id"));
  const unread = unreadOf(whole, delivered);
  if (unread !== undefined) return { value: unread };
  if (value === undefined)
    return {
      unknown:
        "the server cannot tell the group's lag until the group has read all, because unread entries were deleted or the group began amid the stream",
      atLeast: delivered === undefined || whole.last === undefined ? 0 : 1,
    };
  return { value: Math.min(value, whole.length), ...(whole.warning !== undefined && { warning: whole.warning }) };
}

interface Stream {
  readonly length: number;
  /** IDs of its first and last entry, and of the last one it ever had. Undefined: the server does not say. */
  readonly first?: EntryId | undefined;
  readonly last?: EntryId | undefined;
  readonly lastEver?: EntryId | undefined;
  readonly warning?: string;
}

/** In order: text is not, `9-1` comes before `10-1`. */
type EntryId = bigint;

function idOf(reply: Reply | undefined): EntryId | undefined {
  const [, ms, sequence] = (typeof reply === "string" && /^(\d{1,20})-(\d{1,20})$/.exec(reply)) || [];
  return ms === undefined || sequence === undefined ? undefined : (BigInt(ms) << 64n) + BigInt(sequence);
}

/** Undefined: neither all of its entries nor none. */
function unreadOf({ length, first, last, lastEver }: Stream, delivered: EntryId | undefined): number | undefined {
  if (length === 0) return 0;
  if (delivered === undefined) return undefined;
  const newest = last ?? lastEver;
  if (newest !== undefined && newest <= delivered) return 0;
  return first !== undefined && first > delivered ? length : undefined;
}

/** XINFO STREAM also has two entries in full, which may be too large, and takes a permission that XLEN does not. */
async function streamOf(send: SendCommand, stream: string): Promise<Stream> {
  try {
    const fields = fieldsOf(await send(["XINFO", "STREAM", stream]));
    const [first, last] = ["first-entry", "last-entry"].map((name) => {
      const entry = fields.get(name);
      return idOf(Array.isArray(entry) ? (entry as readonly Reply[])[0] : undefined);
    });
    return { length: numberOf(fields.get("length")), first, last, lastEver: idOf(fields.get("last-generated-id")) };
  } catch (error) {
    if (!isFault(error, "forbidden") && !isFault(error, "badAnswer")) throw error;
    const warning = `the lag may be too high after the stream was trimmed, because XINFO STREAM failed: ${error.message}`;
    return { length: numberOf(await send(["XLEN", stream])), warning };
  }
}

/** `[name, value, name, value, …]` */
function fieldsOf(reply: Reply): ReadonlyMap<unknown, Reply> {
  if (!Array.isArray(reply)) throw unexpected();
  const flat = reply as readonly Reply[];
  return new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? null] as const] : [])));
}

function numberOf(reply: Reply | undefined): number {
  if (typeof reply !== "number" || !Number.isSafeInteger(reply) || reply < 0) throw unexpected();
  return reply;
}

function unexpected(): Fault {
  return badAnswer("expected a count, got something else");
}
