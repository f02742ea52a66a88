/** Looked up once: each text is measured in each slot. */
const utf8 = Buffer;

export interface Size {
  /** As a table counts: UTF-8, up to 8 for a number, 1 for each member. */
  readonly bytes: number;
  /** In V8's heap. Without `knownNames`, data full of unique names may take a third more. */
  readonly memory: number;
}

export function sizeOf(value: unknown): number {
  return measure(value).bytes;
}

/** @param knownNames counted already; adds its own */
export function measure(value: unknown, knownNames?: Set<string>): Size {
  const size = { bytes: 0, memory: 0 };
  count(value, size, knownNames);
  return size;
}

/** V8 on 64 bits without compressed pointers: header and pointer. */
const headOfText = 32;
const headOfNumber = 24;
/** With room for four members. */
const headOfMap = 64;
const pointerBytes = 8;
const partOfName = 40;
/** A text, and a hidden class of its own. */
const shapeOfName = 96;

type Tally = { -readonly [Part in keyof Size]: Size[Part] };

function count(value: unknown, tally: Tally, knownNames: Set<string> | undefined): void {
  if (typeof value === "string") add(tally, utf8.byteLength(value), headOfText);
  else if (typeof value === "number") add(tally, 8, headOfNumber - 8);
  else if (typeof value !== "object" || value === null) add(tally, 1, pointerBytes);
  else if (value instanceof Uint8Array) add(tally, value.byteLength, headOfMap);
  else if (Array.isArray(value)) {
    add(tally, 3 + value.length, headOfMap);
    for (const element of value) count(element, tally, knownNames);
  } else {
    add(tally, 3, headOfMap);
    for (const name of Object.keys(value)) {
      const bytes = 1 + utf8.byteLength(name);
      tally.bytes += bytes;
      if (knownNames === undefined) tally.memory += bytes + partOfName;
      else if (knownNames.has(name)) tally.memory += pointerBytes;
      else {
        knownNames.add(name);
        tally.memory += bytes + shapeOfName;
      }
      count((value as Readonly<Record<string, unknown>>)[name], tally, knownNames);
    }
  }
}

function add(tally: Tally, bytes: number, head: number): void {
  tally.bytes += bytes;
  tally.memory += bytes + head;
}

/** At most, by the byte that begins a value of JSON. */
const memoryOfByte = new Uint8Array(256);
memoryOfByte[0x2c] = headOfText;
memoryOfByte[0x5b] = memoryOfByte[0x7b] = headOfMap;

const bytesAtATime = 64 * 1024;

/**
 * The most that parsing takes: `[[],[],[]]` makes 20 times its bytes, so this counts characters that begin a value, up
 * to `enough`.
 */
export function parsedMemory(text: Uint8Array, enough = Infinity): number {
  let memory = 3 * text.length;
  for (let from = 0; from < text.length && memory <= enough; from += bytesAtATime) {
    const to = Math.min(from + bytesAtATime, text.length);
    for (let at = from; at < to; at++) memory += memoryOfByte[text[at] as number] as number;
  }
  return memory;
}
