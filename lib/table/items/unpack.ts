import { brotliDecompressSync } from "node:zlib";
import { isMap } from "../../k8s/map";
import type { Schema } from "../../model/check/schema-data";
import { problemsOf } from "../../model/check/check-schema";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { parsedMemory } from "../../model/size";
import { itemBytes } from "../item-size";
import type { Item } from "./attributes";
import { membersOf } from "./members";
import { mostKeys, mostUnpacked } from "./packed";

/**
 * The memory that one read of packed items may take, in bytes; 0: it ends. A packed item may be a thousandth of what it
 * holds.
 */
export interface PackedRoom {
  left: number;
}

/** What of an item is asked for. Nothing else of it is parsed. */
export interface UnpackOptions {
  readonly holds: (key: HpaKey) => boolean;
  readonly room: PackedRoom;
}

/** An HPA costs so much beside its values, so that a small item with many of them is not cheap. */
const bytesPerKey = 1_024;
/** An item was also parsed as JSON and decoded from Base64, whatever it holds. */
const costOfItem = (item: Item) => 8 * itemBytes(item);

/**
 * The values of the HPAs that are asked for. Those that do not fit into the room any more are left out. Undefined: the
 * item cannot be read, or holds more than an item of ours. The next slot that writes replaces it.
 */
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
      if (!holds(key) || !spend(room, bytesPerKey + parsedMemory(value))) continue;
      const one = JSON.parse(value.toString()) as T;
      if (problemsOf(schema, { [name]: one }, { most: 1 }).length > 0) return undefined;
      found.push([key, one]);
    }
    return found;
  } catch {
    return undefined;
  }
}

/**
 * All values of an item that only ebb can write, parsed at once: that is ten times as fast. Undefined: it cannot be
 * read, or needs more than the room.
 */
export function unpackWhole<T>(
  item: Item,
  isOne: (value: unknown) => value is T,
  room: PackedRoom,
): Readonly<Record<HpaKey, T>> | undefined {
  const text = unpackText(item, room);
  if (text === undefined || !spend(room, parsedMemory(text) - text.length)) return undefined;
  try {
    const found: unknown = JSON.parse(text.toString());
    if (!isMap(found) || Object.keys(found).length > mostKeys) return undefined;
    return Object.values(found).every(isOne) ? (found as Record<HpaKey, T>) : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of such an item. */
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

/** Of what is left, or nothing. */
function spend(room: PackedRoom, bytes: number): boolean {
  if (bytes > room.left) return false;
  room.left -= bytes;
  return true;
}
