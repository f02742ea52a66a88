import { isMap } from "../../k8s/map";
import { problemsOf } from "../../model/check/check-schema";
import type { Schema } from "../../model/check/schema-data";
import { type HpaKey, asHpaKey } from "../../model/hpa-key";
import { parsedMemory } from "../../model/size";
import { itemBytes, type Item } from "./attributes";
import { mostKeys, mostUnpacked } from "./packed";
import { brotliDecompressSync } from "node:zlib";

/** Memory in bytes for one read of packed items, each of which may hold a thousand times its size. */
export interface PackedRoom {
  left: number;
}

/** Nothing else of the item is parsed. */
export interface UnpackOptions {
  readonly holds: (key: HpaKey) => boolean;
  readonly room: PackedRoom;
}

/** Each HPA has a cost beside its values, so that a small item with many HPAs is not cheap. */
const bytesPerKey = 1_024;
const costOfItem = (item: Item) => 8 * itemBytes(item);

/** Leaves out values that do not fit into the room. Undefined: unreadable, or larger than any item of ours. */
export function unpack<T>(
  item: Item,
  schema: Schema,
  { holds, room }: UnpackOptions,
): readonly (readonly [HpaKey, T])[] | undefined {
  const { packed } = item;
  if (!spend(room, costOfItem(item))) room.left = 0;
  if (room.left === 0 || packed?.B === undefined) return undefined;
  try {
    const text = decompress(packed.B, room);
    spend(room, text.length);
    const found: [HpaKey, T][] = [];
    let keys = 0;
    for (const { name, value } of membersOf(text)) {
      keys += 1;
      if (keys > mostKeys) return undefined;
      const key = asHpaKey(name);
      if (!holds(key) || !spend(room, bytesPerKey + parsedMemory(value, room.left))) continue;
      const one = JSON.parse(value.toString()) as T;
      if (problemsOf(schema, { [name]: one }, { most: 1 }).length > 0) return undefined;
      found.push([key, one]);
    }
    return found;
  } catch {
    return undefined;
  }
}

/** For an item that only ebb writes: parsed at once. Undefined: unreadable, or too large for the room. */
export function unpackWhole<T>(
  item: Item,
  isOne: (value: unknown) => value is T,
  room: PackedRoom,
): Readonly<Record<HpaKey, T>> | undefined {
  const text = unpackText(item, room);
  if (text === undefined) return undefined;
  const most = room.left + text.length;
  if (!spend(room, parsedMemory(text, most) - text.length)) return undefined;
  try {
    const found: unknown = JSON.parse(text.toString());
    if (!isMap(found) || Object.keys(found).length > mostKeys) return undefined;
    return Object.values(found).every(isOne) ? (found as Record<HpaKey, T>) : undefined;
  } catch {
    return undefined;
  }
}

export function unpackText({ packed }: Item, room: PackedRoom): Buffer | undefined {
  if (packed?.B === undefined) return undefined;
  try {
    const text = decompress(packed.B, room);
    return spend(room, text.length) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** @throws what zlib throws. An item that is too large has cost what it was unpacked to. */
function decompress(packed: Uint8Array, room: PackedRoom): Buffer {
  const maxOutputLength = Math.min(mostUnpacked, room.left);
  try {
    return brotliDecompressSync(packed, { maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") room.left -= maxOutputLength;
    throw error;
  }
}

function spend(room: PackedRoom, bytes: number): boolean {
  if (bytes > room.left) return false;
  room.left -= bytes;
  return true;
}

/** The value is neither parsed nor checked. */
interface Member {
  readonly name: string;
  readonly value: Buffer;
}

/** A deeper value could exhaust the stack of a function that walks through it. */
const deepest = 64;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * A reader may stop before a value costs anything: JSON.parse needs up to 20 times a text's bytes.
 *
 * @throws SyntaxError for anything but a map.
 */
export function* membersOf(text: Buffer): Generator<Member> {
  let at = afterSpace(text, expect(text, afterSpace(text, 0), OPEN_BRACE));
  for (let isFirst = true; text[at] !== CLOSE_BRACE; isFirst = false) {
    if (!isFirst) at = afterSpace(text, expect(text, at, COMMA));
    const nameEnd = endOfText(text, expect(text, at, QUOTE));
    const name = JSON.parse(text.toString("utf8", at, nameEnd)) as string;
    const valueAt = expect(text, afterSpace(text, nameEnd), COLON);
    at = endOfValue(text, valueAt);
    yield { name, value: text.subarray(valueAt, at) };
  }
  if (afterSpace(text, at + 1) !== text.length) throw unexpected(text, at + 1);
}

function endOfValue(text: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfText(text, at + 1) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) throw unexpected(text, at);
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE)) return at;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
  throw unexpected(text, text.length);
}

function endOfText(text: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    at = text.indexOf(QUOTE, at);
    if (at === -1) throw unexpected(text, text.length);
    let backslashes = 0;
    while (text[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function expect(text: Buffer, at: number, byte: number): number {
  if (text[at] !== byte) throw unexpected(text, at);
  return at + 1;
}

function afterSpace(text: Buffer, from: number): number {
  let at = from;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at += 1;
  return at;
}

function unexpected(text: Buffer, at: number): SyntaxError {
  const found = at < text.length ? `byte ${text[at]}` : "its end";
  return new SyntaxError(`expected a map as JSON, at most ${deepest} levels deep, got ${found} at ${at}`);
}
