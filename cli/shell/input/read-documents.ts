import {
  type Document,
  LineCounter,
  type Node,
  type ScalarTag,
  type Tags,
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
    | { readonly error: string }
  );

/**
 * Skips empty documents. Each item of a `kind: List` is one. Like kubectl, reads YAML 1.1 (`yes` is a boolean, 010 is
 * eight), but without its dates and base-60 numbers.
 */
export function readDocuments(text: string): readonly SourceDocument[] {
  if (nestsTooDeeply(text)) return [{ line: 1, column: 1, error: "nested too deeply" }];
  const tooMany = aliasProblem(text);
  if (tooMany !== undefined) return [{ line: 1, column: 1, error: tooMany }];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    version: "1.1",
    customTags: asInGo,
  });
  if (!Array.isArray(documents)) return [];
  const json = documents.length === 1 ? writtenInJson(text) : undefined;
  return documents.flatMap((document) => readDocument(document, lines, json));
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

function readDocument(document: Document.Parsed, lines: LineCounter, json: ScannedJson | undefined): SourceDocument[] {
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const twice = wrong.code === "DUPLICATE_KEY" ? json?.duplicates[0] : undefined;
    const error = twice === undefined ? wrong.message : duplicateField(twice).text;
    return [{ ...positionOf(wrong.pos[0], lines), error: cutText(error, mostOfError) }];
  }
  const { contents } = document;
  const start = positionOf(contents?.range?.[0], lines);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that expand too far.
    return [{ ...start, error: error instanceof Error ? error.message : String(error) }];
  }
  if (value === null || value === undefined) return [];
  const locateIn = (node: Node | null) => (field: string) => {
    const { range } = locateField(node, field, document) ?? contents ?? {};
    return positionOf(range?.[0], lines);
  };
  const numbers = json?.numbers ?? largeNumbers(contents);
  const items = itemsOf(value);
  if (items === undefined) return [{ ...start, value, numbers, locate: locateIn(contents) }];
  const nodes = document.get("items", true);
  return items.map((item, index) => {
    const written = isSeq(nodes) ? nodes.items[index] : undefined;
    const node = isNode(written) ? written : contents;
    return {
      ...positionOf(node?.range?.[0], lines),
      value: item,
      numbers: below(`items[${index}].`, numbers),
      locate: locateIn(node),
    };
  });
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  const isList = kind === "List" || kind === "HorizontalPodAutoscalerList";
  return isList && Array.isArray(items) ? items : undefined;
}

function positionOf(offset: number | undefined, lines: LineCounter): Position {
  if (offset === undefined) return { line: 1, column: 1 };
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
