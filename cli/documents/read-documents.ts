import { type Document, isNode, isSeq, LineCounter, parseAllDocuments, type Tags } from "yaml";
import { nestsTooDeeply } from "./nesting";

/** One document of a file, or why it could not be read. `line` is where it starts, or where it is wrong; the first line is 1. */
export type SourceDocument =
  { readonly line: number; readonly value: unknown } | { readonly line: number; readonly error: string };

/**
 * The documents of a YAML or JSON text: several separated by `---`, the items of a `kind: List` one by one, empty ones left out.
 * Like kubectl's, this is YAML 1.1 (`yes` is a boolean, 010 is eight), but without its dates and base-60 numbers.
 */
export function readDocuments(text: string): readonly SourceDocument[] {
  if (nestsTooDeeply(text)) return [{ line: 1, error: "nested too deeply" }];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    version: "1.1",
    customTags: withoutTimes,
  });
  return Array.isArray(documents) ? documents.flatMap((document) => readDocument(document, lines)) : [];
}

function withoutTimes(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === "string" || (tag.tag !== "tag:yaml.org,2002:timestamp" && tag.format !== "TIME"),
  );
}

function readDocument(document: Document.Parsed, lines: LineCounter): SourceDocument[] {
  const [wrong] = document.errors;
  if (wrong !== undefined) return [{ line: lines.linePos(wrong.pos[0]).line, error: wrong.message }];
  const line = lineOf(document.contents, lines);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that multiply beyond measure.
    return [{ line, error: error instanceof Error ? error.message : String(error) }];
  }
  if (value === null || value === undefined) return [];
  const items = itemsOf(value);
  if (items === undefined) return [{ line, value }];
  const nodes = document.get("items", true);
  return items.map((item, index) => ({
    line: lineOf(isSeq(nodes) ? nodes.items[index] : undefined, lines) || line,
    value: item,
  }));
}

/** undefined: not a list of objects, but an object. */
function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  const isList = kind === "List" || kind === "HorizontalPodAutoscalerList";
  return isList && Array.isArray(items) ? items : undefined;
}

function lineOf(node: unknown, lines: LineCounter): number {
  const start = isNode(node) ? node.range?.[0] : undefined;
  return start === undefined ? 0 : lines.linePos(start).line;
}
