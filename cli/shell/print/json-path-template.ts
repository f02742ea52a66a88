import { goJson, goQuote } from "../../../lib/k8s/go-text";
import { escapeTerminal, type TerminalSize } from "../../../lib/k8s/escape-terminal";
import { toJson } from "./to-json";
import { failure } from "../failure";
import { readQuoted, type PathStep, readPath, type Slice } from "./read-json-path";
import { compile, type JSONPathQuery, type JSONValue } from "json-p3";

export interface JsonPathTemplate {
  readonly source: string;
  readonly pieces: readonly Piece[];
}

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path"; readonly path: JsonPath }
  | { readonly kind: "range"; readonly path: JsonPath; readonly body: readonly Piece[] };

/** @throws Failure in the form `error parsing jsonpath {…, …`. */
export function parseTemplate(source: string): JsonPathTemplate {
  try {
    const { pieces, rest } = nest(actionsOf(source));
    if (rest.length > 0) throw new SyntaxError("not in range, nothing to end");
    return { source, pieces };
  } catch (error) {
    throw failure(`error parsing jsonpath ${source}, ${(error as Error).message}`);
  }
}

/**
 * A path's results are separated by spaces, missing ones left out.
 * @throws Failure for an index out of bounds
 */
export function fillTemplate(template: JsonPathTemplate, value: object, { terminal }: TerminalSize = {}): string {
  const text = findAll(template, value)
    .map((found) => found.map(textOf).join(" "))
    .join("");
  return terminal === undefined ? text : escapeTerminal(text);
}

/** For jsonpath-as-json: each part's results as one JSON list. */
export function fillAsJson(template: JsonPathTemplate, value: object, screen: TerminalSize = {}): string {
  return findAll(template, value)
    .map((found) => toJson(found, screen))
    .join("");
}

function findAll({ source, pieces }: JsonPathTemplate, value: object): readonly (readonly unknown[])[] {
  try {
    return resultsOf(pieces, value);
  } catch (error) {
    throw failure(`error executing jsonpath ${goQuote(source)}: Error executing template: ${(error as Error).message}`);
  }
}

function resultsOf(pieces: readonly Piece[], value: unknown): readonly (readonly unknown[])[] {
  return pieces.flatMap((piece) => {
    switch (piece.kind) {
      case "text":
        return [[piece.text]];
      case "path":
        return [piece.path(value)];
      case "range":
        return piece.path(value).flatMap((item) => resultsOf(piece.body, item));
    }
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : goJson(inOrder(value));
}

/** As Go does. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, inOrder(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Action =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path" | "range"; readonly path: string }
  | { readonly kind: "end" };

function actionsOf(source: string): readonly Action[] {
  const actions: Action[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf("{", at);
    const text = source.slice(at, open === -1 ? source.length : open);
    if (text !== "") actions.push({ kind: "text", text });
    if (open === -1) break;
    const close = closingBrace(source, open);
    actions.push(actionOf(source.slice(open + 1, close).trim()));
    at = close + 1;
  }
  return actions;
}

function closingBrace(source: string, open: number): number {
  for (let at = open + 1; at < source.length; at += 1) {
    const character = source[at];
    if (character === "'" || character === '"') at = readQuoted(source, at).end - 1;
    else if (character === "}") return at;
  }
  throw new SyntaxError("unclosed action");
}

function actionOf(inner: string): Action {
  if (inner === "end") return { kind: "end" };
  if (/^range\s/.test(inner)) return { kind: "range", path: inner.slice("range".length).trim() };
  if (/^['"]/.test(inner)) {
    const { text, end } = readQuoted(inner, 0);
    if (end !== inner.length) throw new SyntaxError(`unexpected text after a quoted string: ${inner}`);
    return { kind: "text", text };
  }
  if (/^\w/.test(inner)) throw new SyntaxError(`unrecognized identifier ${inner}`);
  return { kind: "path", path: inner };
}

function nest(actions: readonly Action[]): { readonly pieces: readonly Piece[]; readonly rest: readonly Action[] } {
  const pieces: Piece[] = [];
  let rest = actions;
  for (let action = rest[0]; action !== undefined && action.kind !== "end"; action = rest[0]) {
    rest = rest.slice(1);
    if (action.kind === "text") pieces.push(action);
    else if (action.kind === "path") pieces.push({ kind: "path", path: compilePath(action.path) });
    else {
      const body = nest(rest);
      if (body.rest.length === 0) throw new SyntaxError("unclosed range action");
      pieces.push({ kind: "range", path: compilePath(action.path), body: body.pieces });
      rest = body.rest.slice(1);
    }
  }
  return { pieces, rest };
}

/** In kubectl's dialect. @throws Error for an index out of bounds */
export type JsonPath = (value: unknown) => readonly unknown[];

/** @throws SyntaxError */
export function compilePath(source: string): JsonPath {
  const steps = readPath(source).map(compileStep);
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

type Evaluated = (values: readonly unknown[]) => readonly unknown[];

function compileStep(step: PathStep): Evaluated {
  switch (step.kind) {
    case "query": {
      const query = compile(`$${step.rfc}`);
      return (values) => values.flatMap((value) => results(query, value));
    }
    case "slice":
      return (values) => sliced(values, step.slice);
    case "union": {
      const members = step.members.map(compileStep);
      return (values) => members.flatMap((member) => member(values));
    }
  }
}

function results(query: JSONPathQuery, value: unknown): readonly unknown[] {
  return query.query(value as JSONValue).values();
}

/** Upstream: evalArray in k8s.io/client-go/util/jsonpath. */
function sliced(values: readonly unknown[], { from, to, step }: Slice): readonly unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) throw new Error(`${goType(value)} is not array or slice`);
    const { length } = value;
    const start = from === undefined ? 0 : from < 0 ? from + length : from;
    const end = endOf(to, length);
    if (start === end) return found;
    if (start >= length || start < 0) throw new Error(`array index out of bounds: index ${start}, length ${length}`);
    if (end > length || end < 0) throw new Error(`array index out of bounds: index ${end - 1}, length ${length}`);
    if (start > end) throw new Error(`starting index ${start} is greater than ending index ${end}`);
    if (step !== undefined && step <= 0) throw new Error("step must be > 0");
    for (let at = start; at < end; at += step ?? 1) found.push(value[at]);
  }
  return found;
}

function endOf(to: Slice["to"], length: number): number {
  if (to === undefined) return length;
  return to.at < 0 || (to.at === 0 && to.isAfterIndex) ? to.at + length : to.at;
}

function goType(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "map[string]interface {}";
}
