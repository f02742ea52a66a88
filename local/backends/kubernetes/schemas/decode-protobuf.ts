import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { JsonObject } from "../resources/object";
import { StatusError, badRequest } from "../resources/status";
import type { Messages } from "./schemas";

const magic = Buffer.from("k8s\0");
/** Go has no limit. The served kinds are less than 20 deep, a CRD's schema aside. */
const maxDepth = 64;

/** An envelope with the kind and its message (apimachinery, pkg/runtime/serializer/protobuf). @throws 400 */
export function decodeProtobuf(body: Uint8Array, messages: Messages): JsonObject {
  if (!magic.equals(body.subarray(0, magic.length))) {
    throw badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  try {
    const { texts } = fieldsOf(body.subarray(magic.length));
    const typeMeta = texts.get(1) ?? new Uint8Array();
    const [apiVersion, kind] = [textOf(typeMeta, 1), textOf(typeMeta, 2)];
    if (!Object.hasOwn(messages, kind)) {
      throw badRequest(`${apiVersion}, Kind=${kind} is not decoded from protobuf here: send it as application/json`);
    }
    return { apiVersion, kind, ...decodeMessage(kind, texts.get(2) ?? new Uint8Array(), { messages, depth: 0 }) };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    // The reader's: a length beyond the end, an unknown wire type. JSON's: of managed fields.
    throw badRequest(`error decoding the protobuf message: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Length-delimited fields and numbers. */
function fieldsOf(bytes: Uint8Array) {
  const texts = new Map<number, Uint8Array>();
  const integers = new Map<number, number>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) texts.set(number, reader.bytes());
    else if (wireType === WireType.Varint) integers.set(number, Number(reader.int64()));
    else reader.skip(wireType, number);
  }
  return { texts, integer: (number: number) => integers.get(number) ?? 0 };
}

const textOf = (bytes: Uint8Array, number: number) =>
  Buffer.from(fieldsOf(bytes).texts.get(number) ?? []).toString("utf8");

interface DecodeContext {
  readonly messages: Messages;
  readonly depth: number;
}

/** As the Go struct's JSON: without the zero values that protobuf writes, and with inlined structs. */
function decodeMessage(name: string, bytes: Uint8Array, at: DecodeContext): JsonObject {
  const { messages, depth } = at;
  if (depth > maxDepth) throw badRequest(`expected a protobuf message at most ${maxDepth} deep`);
  const fields = messages[name] ?? {};
  // A Map takes the key "__proto__".
  const one = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  const maps = new Map<string, Map<string, unknown>>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = fieldOf(fields[number]);
    if (field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const { json, shape, element } = field;
    requireWireType(wireType, shape === "map" ? "" : element);
    if (shape === "map") entryOf(maps, json, () => new Map()).set(...decodeEntry(element, reader.bytes(), at));
    else if (shape === "list") entryOf(lists, json, () => []).push(decodeValue(element, reader, at));
    else {
      const value = decodeValue(element, reader, at);
      if (json === "") for (const [key, member] of Object.entries(value as JsonObject)) one.set(key, member);
      else if (shape === "pointer" || !isZero(value)) one.set(json, value);
    }
  }
  const entries = [...maps].map(([json, map]) => [json, Object.fromEntries(map)] as const);
  return Object.fromEntries<unknown>([...one, ...lists, ...entries]);
}

function entryOf<T>(all: Map<string, T>, key: string, empty: () => T): T {
  const found = all.get(key) ?? empty();
  all.set(key, found);
  return found;
}

const numbers = ["bool", "int32", "int64"];

function requireWireType(wireType: WireType, element: string): void {
  const expected = numbers.includes(element) ? WireType.Varint : WireType.LengthDelimited;
  if (wireType !== expected)
    throw badRequest(`expected wire type ${expected} in the protobuf message, got ${wireType}`);
}

interface Field {
  /** "": the struct is inlined. */
  readonly json: string;
  readonly shape: "one" | "pointer" | "list" | "map";
  readonly element: string;
}

function fieldOf(text: string | undefined): Field | undefined {
  const [, json = "", prefix = "", element = ""] = /^(\w*) (\*|\[\]|map\[string\])?(\w+)$/.exec(text ?? "") ?? [];
  if (element === "") return undefined;
  const shape = prefix === "*" ? "pointer" : prefix === "[]" ? "list" : prefix === "" ? "one" : "map";
  return { json, shape, element };
}

function decodeEntry(element: string, bytes: Uint8Array, at: DecodeContext): [string, unknown] {
  const reader = new BinaryReader(bytes);
  let [key, value]: [string, unknown] = ["", element === "string" ? "" : {}];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) key = reader.string();
    else if (number === 2) {
      requireWireType(wireType, element);
      value = decodeValue(element, reader, at);
    } else reader.skip(wireType, number);
  }
  return [key, value];
}

function decodeValue(element: string, reader: BinaryReader, at: DecodeContext): unknown {
  switch (element) {
    case "string":
      return reader.string();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return Number(reader.int64());
    case "Time":
    case "MicroTime":
      return decodeTime(reader.bytes(), element);
    case "Quantity":
      return textOf(reader.bytes(), 1);
    case "IntOrString":
      return decodeIntOrString(reader.bytes());
    case "FieldsV1":
      return JSON.parse(textOf(reader.bytes(), 1) || "{}");
    default:
      return decodeMessage(element, reader.bytes(), { ...at, depth: at.depth + 1 });
  }
}

/** RFC 3339; undefined: Go's empty message. */
function decodeTime(bytes: Uint8Array, element: "Time" | "MicroTime"): string | undefined {
  if (bytes.length === 0) return undefined;
  const { integer } = fieldsOf(bytes);
  const text = new Date(integer(1) * 1_000).toISOString().slice(0, -".000Z".length);
  return element === "Time" ? `${text}Z` : `${text}.${String(Math.floor(integer(2) / 1_000)).padStart(6, "0")}Z`;
}

function decodeIntOrString(bytes: Uint8Array): number | string {
  const { integer } = fieldsOf(bytes);
  return integer(1) === 0 ? integer(2) : textOf(bytes, 3);
}

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  value === 0 ||
  value === false ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);
