import { Fault } from "../../model/fault";
import type { CountedKeys, CountedStream } from "./redis-query";
import type { Reply } from "./redis-session";

export type SendCommand = (command: readonly [string, ...string[]]) => Promise<Reply>;

export type Count = { readonly value: number } | { readonly missing: string };

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
  throw new Fault("badAnswer", `expected the key to be a list, set, sorted set or hash, got ${got}${hint}`);
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
  if (found === undefined) return { missing: `group ${JSON.stringify(group)} of the stream` };
  const pending = count === "lag" ? 0 : numberOf(found.get("pending"));
  return { value: pending + (count === "pending" ? 0 : lagOf(found)) };
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
  if (!Array.isArray(reply) || !reply.every(Array.isArray)) throw unexpected();
  return (reply as readonly (readonly Reply[])[]).map(
    (flat) => new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? null] as const] : []))),
  );
}

/** Absent before Redis 7; null after unread entries were deleted. */
function lagOf(group: ReadonlyMap<unknown, Reply>): number {
  const lag = group.get("lag");
  if (lag === null)
    throw new Fault("badAnswer", "the server cannot tell the group's lag, because unread entries were deleted");
  if (lag === undefined) throw new Fault("badAnswer", "the server tells no lag, which Redis does from version 7.0");
  return numberOf(lag);
}

function numberOf(reply: Reply | undefined): number {
  if (typeof reply !== "number" || !Number.isSafeInteger(reply) || reply < 0) throw unexpected();
  return reply;
}

function unexpected(): Fault {
  return new Fault("badAnswer", "expected a count, got something else");
}
