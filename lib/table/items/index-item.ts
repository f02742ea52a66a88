import { isMap } from "../../k8s/map";
import type { EpochMs } from "../../k8s/time";
import { type HpaKey, asHpaKey } from "../../model/hpa-key";
import type { IndexedKeys } from "../../model/ports/queue-reads";
import type { IndexedHpa, IndexedQueues, QueueIndex } from "../../model/stored/queue-index";
import type { ShardRange } from "../../model/stored/shard";
import { type Item, toItem } from "./attributes";
import { expiresAtAttribute, indexKey } from "./keys";
import { mostKeys, packWhole } from "./packed";
import { unpackText, unpackWhole } from "./unpack";

/** Twice as long as a shard leaves its item as it is. */
const lifetimeMs = 48 * 60 * 60 * 1000;

/** The most memory for reading one, in bytes. An item of ours takes a hundredth. */
const mostMemory = 24 * 2 ** 20;
/** Four times what we name: a later version may name more. */
const mostQueuesRead = 32_000;

/** For a reader that looks for a queue. */
export const inClear = ["sk", "hash", "queues", "more"] as const;
/** For a reader that looks for HPAs. */
export const byHpa = ["sk", "hash", "packed"] as const;

/** All queues that an index names, ascending. */
function namedIn({ hpas }: Pick<QueueIndex, "hpas">): Uint32Array {
  const all = Object.values(hpas).flatMap((hpa) => ("queues" in hpa ? hpa.queues : []));
  return Uint32Array.from(new Set(all)).sort();
}

/** Undefined: it does not fit into an item. */
export function encodeIndex(
  shard: Pick<ShardRange, "cluster" | "from">,
  index: QueueIndex,
  now: EpochMs,
): Item | undefined {
  const packed = packWhole(index.hpas);
  if (packed === undefined) return undefined;
  const { hash, hpas } = index;
  const more = Object.values(hpas).filter((hpa) => "more" in hpa).length;
  const named = namedIn(index);
  const queues = Buffer.alloc(4 * named.length);
  named.forEach((queue, at) => queues.writeUInt32LE(queue, 4 * at));
  const expiresAt = Math.ceil((now + lifetimeMs) / 1000);
  const attributes = toItem({ ...indexKey(shard), hash, more, [expiresAtAttribute]: expiresAt });
  return { ...attributes, queues: { B: queues }, packed: { B: packed } };
}

/** Undefined: unreadable. */
export function decodeIndexedQueues({ hash, queues, more }: Item): IndexedQueues | undefined {
  const bytes = queues?.B;
  const count = Number(more?.N);
  if (hash?.S === undefined || bytes === undefined || bytes.length % 4 !== 0 || !(count >= 0)) return undefined;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Uint32Array(bytes.length / 4);
  for (let at = 0; at < numbers.length; at++) numbers[at] = view.readUInt32LE(4 * at);
  return { hash: hash.S, queues: numbers, more: count };
}

/** Undefined: unreadable. */
export function decodeIndex(item: Item): QueueIndex | undefined {
  const hpas = unpackWhole(item, isIndexedHpa, { left: mostMemory });
  if (item["hash"]?.S === undefined || hpas === undefined) return undefined;
  const queues = Object.values(hpas).reduce((sum, hpa) => sum + ("queues" in hpa ? hpa.queues.length : 0), 0);
  return queues <= mostQueuesRead ? { hash: item["hash"].S, hpas } : undefined;
}

/** Undefined: unreadable. */
export function decodeIndexedKeys(
  item: Item,
  hashes: readonly number[],
): (IndexedKeys & { readonly hash: string }) | undefined {
  const text = unpackText(item, { left: mostMemory });
  if (item["hash"]?.S === undefined || text === undefined) return undefined;
  try {
    const keys = keysIn(text, hashes);
    if (keys.named.length + keys.more.length > mostKeys) return undefined;
    return { hash: item["hash"].S, ...keys };
  } catch {
    return undefined;
  }
}

function isIndexedHpa(value: unknown): value is IndexedHpa {
  return isMap(value) && (value["more"] === true || Array.isArray(value["queues"]));
}

/** Each begins with the quote that ends the key. Within a text, JSON has no quote without a backslash. */
const ofQueues = '":{"queues":[';
const ofMore = '":{"more":true';
const [quote, comma, openBracket, closeBracket, backslash] = [0x22, 0x2c, 0x5b, 0x5d, 0x5c];

/**
 * Parsing 100,000 HPAs takes 250 ms of a full core.
 *
 * @param text as encodeIndex makes it: `{"shop/a":{"queues":[7,12]},"shop/b":{"more":true}}`
 */
export function keysIn(text: Buffer, hashes: readonly number[]): IndexedKeys {
  return {
    named: [...new Set(hashes.flatMap((hash) => [...keysWith(text, String(hash))]))],
    more: [...placesOf(text, ofMore)].map((at) => keyEndingAt(text, at)),
  };
}

function* keysWith(text: Buffer, digits: string): Generator<HpaKey> {
  let at = text.indexOf(digits);
  while (at !== -1) {
    const [before, after] = [text[at - 1], text[at + digits.length]];
    const isNumber = (before === comma || before === openBracket) && (after === comma || after === closeBracket);
    const opened = isNumber ? text.lastIndexOf(ofQueues, at) : -1;
    const closed = opened === -1 ? -1 : text.indexOf(closeBracket, opened + ofQueues.length);
    const isListed = closed > at;
    if (isListed) yield keyEndingAt(text, opened);
    at = text.indexOf(digits, isListed ? closed : at + digits.length);
  }
}

function* placesOf(text: Buffer, part: string): Generator<number> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) yield at;
}

function keyEndingAt(text: Buffer, end: number): HpaKey {
  let start = text.lastIndexOf(quote, end - 1);
  while (start > 0 && isEscaped(text, start)) start = text.lastIndexOf(quote, start - 1);
  return asHpaKey(JSON.parse(text.toString("utf8", start, end + 1)) as string);
}

function isEscaped(text: Buffer, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}
