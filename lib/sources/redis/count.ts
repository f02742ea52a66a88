import type { Fault } from "../../model/fault";
import { isFault } from "../../model/fault";
import type { CountedKeys, CountedStream } from "./redis-query";
import type { Reply } from "./redis-session";
import { badAnswer } from "../network/as-reading";

export type SendCommand = (command: readonly [string, ...string[]]) => Promise<Reply>;

export type Count = { readonly value: number; readonly warning?: string } | { readonly missing: string };

const sizes: Readonly<Record<string, readonly [type: NonNullable<CountedKeys["type"]>, command: string]>> = {
  list: ["list", "LLEN"],
  set: ["set", "SCARD"],
  zset: ["sortedSet", "ZCARD"],
  hash: ["hash", "HLEN"],
};

/** Redis deletes a key with its last element, so a missing key is empty. */
export async function countKey(send: SendCommand, key: string, wanted: CountedKeys["type"]): Promise<Count> {
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
  const { value, ...lag } = await lagOf(send, stream, found);
  return { value: pending + value, ...lag };
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
): Promise<{ readonly value: number; readonly warning?: string }> {
  const lag = group.get("lag");
  if (lag === undefined) throw badAnswer("the server does not report a lag, which Redis does from version 7.0");
  const value = lag === null ? undefined : numberOf(lag);
  if (value === 0) return { value };
  const whole = await streamOf(send, stream);
  const delivered = group.get("last-delivered-id");
  if (typeof delivered === "string" && delivered === whole.lastId) return { value: 0 };
  if (value === undefined)
    throw badAnswer("the server cannot tell the group's lag, because unread entries were deleted");
  return { value: Math.min(value, whole.length), ...(whole.warning !== undefined && { warning: whole.warning }) };
}

interface Stream {
  readonly length: number;
  /** Undefined: the server does not say. */
  readonly lastId?: string;
  readonly warning?: string;
}

/** XINFO STREAM also has two entries in full, which may be too large, and takes a permission that XLEN does not. */
async function streamOf(send: SendCommand, stream: string): Promise<Stream> {
  try {
    const fields = fieldsOf(await send(["XINFO", "STREAM", stream]));
    const lastId = fields.get("last-generated-id");
    return { length: numberOf(fields.get("length")), ...(typeof lastId === "string" && { lastId }) };
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
