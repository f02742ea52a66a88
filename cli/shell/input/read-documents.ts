import {
  type Document,
  LineCounter,
  type Node,
  type ScalarTag,
  type Tags,
  type YAMLParseError,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseAllDocuments,
} from "yaml";
import type { ScannedJson } from "../../../lib/k8s/codec/scan-json";
import { cutText } from "../../../lib/k8s/go-text";
import { below, largeNumbers, writtenInJson } from "./written-numbers";
import { duplicateField } from "../../../lib/k8s/validate/field-error";
import { jsonInRow } from "./json-in-row";
import { aliasProblem } from "../../../lib/k8s/yaml-aliases";

/** Far deeper than any Kubernetes document. */
const DEEPEST = 500;

/** Nesting, by brackets or by indentation, could exhaust the parser's stack. */
export function nestsTooDeeply(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "[" || character === "{") open += 1;
    else if (character === "]" || character === "}") open -= 1;
    if (open > DEEPEST) return true;
  }
  return text.split("\n").some((line) => leadingMarks(line) > DEEPEST);
}

function leadingMarks(line: string): number {
  let at = 0;
  while (at < line.length && " -?:".includes(line.charAt(at))) at += 1;
  return at;
}

const step = /\.?([^.[\]]+)|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]/gy;

/**
 * The node of a field's key or list item, else of its nearest parent; undefined without the first step.
 *
 * `field`: "spec.metrics[0].type", "metadata.annotations[ebb.dev/paused]".
 */
export function locateField(root: Node | null, field: string, document: Document): Node | undefined {
  let value: unknown = root;
  let found: Node | undefined;
  for (const [, name, quoted, bracketed] of field.matchAll(step)) {
    const next = child(isAlias(value) ? value.resolve(document) : value, name ?? quoted ?? bracketed ?? "");
    if (next === undefined) return found;
    found = next.mark;
    value = next.value;
  }
  return found;
}

interface Child {
  readonly mark: Node;
  readonly value: unknown;
}

function child(parent: unknown, name: string): Child | undefined {
  if (isSeq(parent)) {
    const item = parent.items[Number(name)];
    return isNode(item) ? { mark: item, value: item } : undefined;
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && isNode(pair.key) ? { mark: pair.key, value: pair.value } : undefined;
}

/** From 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type SourceDocument = Position &
  (
    | {
        readonly value: unknown;
        /** By path, numbers as they were written, where JavaScript spells them differently. */
        readonly numbers?: ReadonlyMap<string, string>;
        /** Falls back to the nearest parent that is present. */
        readonly locate: (field: string) => Position;
      }
    | {
        readonly error: string;
        /** The document, if its only fault is a key that is there twice. */
        readonly about?: unknown;
      }
  );

/**
 * Skips empty documents. Each item of a `kind: List` or a typed list (`HorizontalPodAutoscalerList`) is one. Like
 * kubectl, reads JSON documents in a row, and YAML 1.1 (`yes` is a boolean, 010 is eight), but without its dates and
 * base-60 numbers.
 */
export function readDocuments(text: string): readonly SourceDocument[] {
  const hint = /\{\{.*\}\}/.test(text) ? "; if this is a template, render it first, such as by helm template" : "";
  return documentsIn(text).map((one) =>
    "error" in one && one.about === undefined ? { ...one, error: `${one.error}${hint}` } : one,
  );
}

function documentsIn(text: string): readonly SourceDocument[] {
  if (nestsTooDeeply(text)) return [{ line: 1, column: 1, error: "nested too deeply" }];
  const tooMany = aliasProblem(text);
  if (tooMany !== undefined) return [{ line: 1, column: 1, error: tooMany }];
  const lines = new LineCounter();
  const inRow = jsonInRow(text);
  if (inRow.length < 2) return parsed(text, { lines, base: 0 }, lines);
  for (let at = 0; at >= 0; at = text.indexOf("\n", at) + 1 || -1) lines.addNewLine(at);
  return inRow.flatMap(({ start, end }) => parsed(text.slice(start, end), { lines, base: start }));
}

/** Offsets are those of the text that begins at `base` of the file. */
interface Place {
  readonly lines: LineCounter;
  readonly base: number;
}

function parsed(text: string, place: Place, lineCounter?: LineCounter): readonly SourceDocument[] {
  const documents = parseAllDocuments(text, {
    ...(lineCounter && { lineCounter }),
    prettyErrors: false,
    logLevel: "error",
    version: "1.1",
    customTags: asInGo,
  });
  if (!Array.isArray(documents)) return [];
  const json = documents.length === 1 ? writtenInJson(text) : undefined;
  return documents.flatMap((document) => readDocument({ document, place, json }));
}

const float = "tag:yaml.org,2002:float";

/** Like kubectl: a time is a string, and so is a number without digits ("e10", "."). */
function asInGo(tags: Tags): Tags {
  return tags
    .filter((tag) => typeof tag === "string" || (tag.tag !== "tag:yaml.org,2002:timestamp" && tag.format !== "TIME"))
    .map((tag) => (isFloat(tag) && tag.test?.test(".nan") === false ? { ...tag, test: number } : tag));
}

function isFloat(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === "object" && tag.tag === float;
}

const number = /^(?:\.[0-9]+|[-+]\.[0-9][0-9_]*|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The parser's error may quote a whole file. */
const mostOfError = 240;

interface Written {
  readonly document: Document.Parsed;
  readonly place: Place;
  readonly json: ScannedJson | undefined;
}

function readDocument(written: Written): readonly SourceDocument[] {
  const { document, place, json } = written;
  const { errors, contents } = document;
  const wrong = errors.find(({ code }) => code !== "DUPLICATE_KEY");
  if (wrong !== undefined) return [errorOf(wrong, place)];
  const start = positionOf(contents?.range?.[0], place);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that expand too far.
    return [{ ...start, error: error instanceof Error ? error.message : String(error) }];
  }
  if (value === null || value === undefined) return [];
  const numbers = json?.numbers ?? largeNumbers(contents);
  return documentsAt(written, { node: contents, value, numbers, path: "" });
}

/** An item of a list may be a list. */
function documentsAt(written: Written, part: Part): readonly SourceDocument[] {
  const items = itemsOf(part.value);
  if (items === undefined) return [documentAt(written, part)];
  const nodes = isMap(part.node) ? part.node.get("items", true) : undefined;
  return items.flatMap((value, index) => {
    const node = isSeq(nodes) ? nodes.items[index] : undefined;
    const path = `items[${index}].`;
    const numbers = below(path, part.numbers);
    return documentsAt(written, { node: isNode(node) ? node : part.node, value, numbers, path: part.path + path });
  });
}

interface Part {
  readonly node: Node | null;
  readonly value: unknown;
  readonly numbers: ReadonlyMap<string, string>;
  /** `items[0].` */
  readonly path: string;
}

/** Kinds that ebb has nothing to do with may have a key twice: kubectl takes the last one. */
function documentAt({ document, place, json }: Written, { node, value, numbers, path }: Part): SourceDocument {
  const { contents, errors } = document;
  const [from = 0, , to = Infinity] = node?.range ?? [];
  const twice = errors.find(({ pos: [at] }) => node === contents || (at >= from && at < to));
  if (twice !== undefined) {
    const field = json?.duplicates.find((one) => one.startsWith(path));
    const named = field === undefined ? twice : { ...twice, pos: twice.pos, message: duplicateField(field).text };
    return { ...errorOf(named, place), about: value };
  }
  const locate = (field: string) => {
    const { range } = locateField(node, field, document) ?? contents ?? {};
    return positionOf(range?.[0], place);
  };
  return { ...positionOf((node ?? contents)?.range?.[0], place), value, numbers, locate };
}

function errorOf(
  { pos, message }: Pick<YAMLParseError, "pos" | "message">,
  place: Place,
): Position & { readonly error: string } {
  return { ...positionOf(pos[0], place), error: cutText(message, mostOfError) };
}

/** As kubectl does, items of a typed list without a kind take it from the list. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, apiVersion, items } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return undefined;
  const of = kind.slice(0, -"List".length);
  if (of === "" || typeof apiVersion !== "string") return items as readonly unknown[];
  return items.map((item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item) ? { apiVersion, kind: of, ...item } : item,
  );
}

function positionOf(offset: number | undefined, { lines, base }: Place): Position {
  if (offset === undefined && base === 0) return { line: 1, column: 1 };
  const { line, col } = lines.linePos(base + (offset ?? 0));
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
