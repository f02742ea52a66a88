import type { AttributeValue } from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;

/**
 * DynamoDB's typed values as plain data, and back. lib-dynamodb does not fit: it rejects a whole page for one number
 * that fits no double, turns sets into Set objects, which read as empty documents, and assigns a map's "__proto__" key.
 *
 * A set becomes a list. A whole number past 2^53 becomes text, its digits: a quantity takes it exactly, and a count
 * rejects it. Binary stays a Uint8Array, which no field of ours accepts.
 */
export function fromItem(item: Item): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const name of Object.keys(item)) put(document, name, fromAttribute(item[name] as AttributeValue));
  return document;
}

/** Assigning the key "__proto__" would set the prototype instead. */
function put<T>(map: Record<string, T>, name: string, value: T): void {
  if (name !== "__proto__") map[name] = value;
  else Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
}

function fromAttribute(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return fromNumber(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.M !== undefined) return fromItem(value.M);
  if (value.L !== undefined) return value.L.map(fromAttribute);
  if (value.SS !== undefined) return value.SS;
  if (value.NS !== undefined) return value.NS.map(fromNumber);
  if (value.NULL !== undefined) return null;
  return value.B ?? value.BS;
}

/** The text that an attribute holds; "" for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function fromNumber(text: string): number | string {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

/**
 * Leaves out members that are undefined. @throws TypeError for a value without a DynamoDB form (NaN, a function, a hole
 * in a list).
 */
export function toItem(document: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(document))
    if (value !== undefined) put(item, name, toAttribute(value, name));
  return item;
}

function toAttribute(value: unknown, name: string): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number" && Number.isFinite(value)) return { N: String(value) };
  if (Array.isArray(value)) return { L: value.map((element, index) => toAttribute(element, `${name}[${index}]`)) };
  if (typeof value === "object") return { M: toItem(value) };
  const got = typeof value === "number" ? value : typeof value;
  throw new TypeError(`${name}: expected text, a number, a flag, null, a list or a map, got ${got}`);
}
