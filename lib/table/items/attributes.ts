import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { problemText, unexpected } from "../../model/check/problem";
import { problemsOf } from "../../model/check/check-schema";
import type { Schema } from "../../model/check/schema-data";

export type Item = Record<string, AttributeValue>;

/**
 * lib-dynamodb does not fit: it rejects a page for one number that fits no double, makes Set objects, and assigns a
 * map's "__proto__" key. Here a set becomes a list, and a whole number past 2^53 text: a quantity takes it exactly, a
 * count rejects it.
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

/** @throws TypeError for a value without a DynamoDB form (NaN, a function, a hole in a list). */
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

/** It grows when an older version would decide wrongly, not for an added member. docs/decisions/0026-state-format.md */
export const itemFormat = 1;

/** Undefined: this version may decide from the item. */
export function unknownFormat(format: unknown): Unreadable | undefined {
  if (format === undefined) return undefined;
  const isWhole = typeof format === "number" && Number.isInteger(format) && format >= 1;
  if (isWhole && format <= itemFormat) return undefined;
  if (!isWhole) return { broken: problemText(unexpected(["format"], "a whole number, 1 or more", format)) };
  const problem = problemText(unexpected(["format"], `at most ${itemFormat}`, format));
  return { broken: `${problem}: a newer version of ebb wrote the item; deploy that version again`, isNewer: true };
}

/** DynamoDB's limit, attribute names included. */
export const maxItemBytes = 400 * 1024;

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
export function itemBytes(item: Item): number {
  let sum = 0;
  for (const name of Object.keys(item)) sum += Buffer.byteLength(name) + valueBytes(item[name] as AttributeValue);
  return sum;
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, number) => sum + numberBytes(number), 0);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.BS !== undefined) return value.BS.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  return 1;
}

/**
 * One byte for two significant digits, and one more: 1700000000000 (2 significant digits) has 2, 1700000012345 has 8.
 */
function numberBytes(text: string): number {
  const significant = text.replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
  return Math.ceil(significant.length / 2) + 1;
}

interface Unreadable {
  readonly broken: string;
  /** A newer version of ebb wrote it. */
  readonly isNewer?: true;
}

export type DecodedItem<T> = { readonly value: T } | Unreadable;

/** Unknown members stay: a newer version may have written them. */
export function decodedItem<T>(schema: Schema, attributes: Readonly<Record<string, unknown>>): DecodedItem<T> {
  // An item of 400 KB has room for 100,000 problems, which take seconds.
  const [problem] = problemsOf(schema, attributes, { most: 1 });
  return problem === undefined ? { value: attributes as T } : { broken: problemText(problem) };
}
