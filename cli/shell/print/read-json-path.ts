/** @throws SyntaxError */
export function readQuoted(source: string, start: number): { readonly text: string; readonly end: number } {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === quote) return { text: unquoted(source.slice(start + 1, at)), end: at + 1 };
  }
  throw new SyntaxError(`unterminated quoted string: ${source.slice(start)}`);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** Go's escapes, as far as people write them in templates. */
function unquoted(inner: string): string {
  return inner.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs, (_, escape: string) =>
    escape.length > 1 ? String.fromCodePoint(parseInt(escape.slice(1), 16)) : (escapes[escape] ?? escape),
  );
}

/** Absent members: from its start, to its end, every item. */
export interface Slice {
  readonly from?: number;
  /** Exclusive. `isAfterIndex`: a single index `n` is the slice from `n` to `n + 1`. */
  readonly to?: { readonly at: number; readonly isAfterIndex: boolean };
  readonly step?: number;
}

/** A query is also in RFC 9535. */
export type PathStep =
  | { readonly kind: "slice"; readonly rfc: string; readonly slice: Slice }
  | { readonly kind: "union"; readonly rfc: string; readonly members: readonly PathStep[] }
  | { readonly kind: "query"; readonly rfc: string };

/**
 * `.items[*].metadata.labels.app-name` has `["items"]`, all items, `["metadata"]`, `["labels"]` and `["app-name"]`. `@`
 * and `$` both mean the current object, names may hold anything but a delimiter, `\.` is a dot within a name. Upstream:
 * k8s.io/client-go/util/jsonpath.
 *
 * @throws SyntaxError
 */
export function readPath(path: string): readonly PathStep[] {
  const source = path.replace(/^[$@]/, "");
  const steps: PathStep[] = [];
  let at = 0;
  while (at < source.length) {
    const { step, end } = readStep(source, at);
    if (step.rfc !== "") steps.push(step);
    at = end;
  }
  return steps;
}

function toRfcPath(path: string): string {
  return `@${readPath(path)
    .map(({ rfc }) => rfc)
    .join("")}`;
}

interface ReadStep {
  readonly step: PathStep;
  readonly end: number;
}

function readStep(source: string, at: number): ReadStep {
  if (source[at] === "[") return readBracket(source, at);
  if (source[at] !== ".") throw new SyntaxError(`unrecognized character in path: ${source.slice(at)}`);
  const deep = source[at + 1] === ".";
  const start = at + (deep ? 2 : 1);
  const dots = deep ? ".." : "";
  if (source[start] === "[") {
    const { step, end } = readBracket(source, start);
    return deep ? query(dots + step.rfc, end) : { step, end };
  }
  const [name = ""] = /^(?:\\.|[^.[\]\s(){}'",=!<>&|\\])*/s.exec(source.slice(start)) ?? [];
  const end = start + name.length;
  if (name === "" && !deep && end === source.length) return query("", end);
  if (name === "") throw new SyntaxError(`expected a name after the dot: ${source.slice(at)}`);
  if (name === "*") return query(`${dots}[*]`, end);
  return query(`${dots}[${JSON.stringify(name.replace(/\\(.)/gs, "$1"))}]`, end);
}

function query(rfc: string, end: number): ReadStep {
  return { step: { kind: "query", rfc }, end };
}

function readBracket(source: string, start: number): ReadStep {
  const close = closingBracket(source, start);
  const inner = source.slice(start + 1, close).trim();
  if (isFilter(inner)) return query(`[?${toRfcFilter(inner)}]`, close + 1);
  const members = readSelectors(inner);
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0) return { step: only, end: close + 1 };
  const rfc = `[${members.map((member) => member.rfc.slice(1, -1)).join(",")}]`;
  return { step: { kind: "union", rfc, members }, end: close + 1 };
}

function closingBracket(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at];
    if (character === "'" || character === '"') at = readQuoted(source, at).end - 1;
    else if (character === "[") depth += 1;
    else if (character === "]" && --depth === 0) return at;
  }
  throw new SyntaxError(`unterminated array: ${source.slice(start)}`);
}

function isFilter(inner: string): boolean {
  return inner.startsWith("?(") && inner.endsWith(")");
}

function readSelectors(inner: string): readonly PathStep[] {
  if (inner === "") throw new SyntaxError("expected an index, a slice, a name or *: []");
  const selectors: PathStep[] = [];
  let rest = inner;
  while (rest !== "") {
    if (rest.startsWith("'") || rest.startsWith('"')) {
      const { text, end } = readQuoted(rest, 0);
      selectors.push({ kind: "query", rfc: `[${JSON.stringify(text)}]` });
      rest = rest.slice(end).trim();
    } else {
      const [plain = ""] = /^[^,]*/.exec(rest) ?? [];
      const slice = readSlice(plain.trim());
      if (slice === undefined) throw new SyntaxError(`invalid array index: [${inner}]`);
      selectors.push({ kind: "slice", rfc: `[${plain.trim()}]`, slice });
      rest = rest.slice(plain.length);
    }
    if (rest.startsWith(",")) rest = rest.slice(1).trim();
    else if (rest !== "") throw new SyntaxError(`invalid array index: [${inner}]`);
  }
  return selectors;
}

/** `*`, an index or `from:to:step`; undefined for anything else. */
function readSlice(text: string): Slice | undefined {
  if (text === "*") return {};
  const [matched, from, isSlice, to, step] = /^(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+)?)?)?$/.exec(text) ?? [];
  if (matched === undefined || matched === "") return undefined;
  // Go's int64; no list is longer than a double can count.
  if ([from, to, step].some((index) => index !== undefined && !Number.isSafeInteger(Number(index)))) return undefined;
  if (isSlice === undefined) return { from: Number(from), to: { at: Number(from) + 1, isAfterIndex: true } };
  return {
    ...(from !== undefined && { from: Number(from) }),
    ...(to !== undefined && { to: { at: Number(to), isAfterIndex: false } }),
    ...(step !== undefined && { step: Number(step) }),
  };
}

/** `?(@.type=="Ready")`, `?(@.labels)`: one comparison, or one test for existence. */
function toRfcFilter(inner: string): string {
  const source = inner.slice(2, -1).trim();
  const at = operatorAt(source);
  if (at === undefined) return toRfcPath(source);
  const [operator = ""] = /^(==|!=|<=|>=|<|>)/.exec(source.slice(at)) ?? [];
  const [left, right] = [source.slice(0, at), source.slice(at + operator.length)];
  return `${toOperand(left.trim())} ${operator} ${toOperand(right.trim())}`;
}

function operatorAt(source: string): number | undefined {
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (character === "'" || character === '"') at = readQuoted(source, at).end - 1;
    else if (character === "[") at = closingBracket(source, at);
    else if (/[=!<>]/.test(character)) return at;
  }
  return undefined;
}

function toOperand(operand: string): string {
  if (operand.startsWith("'") || operand.startsWith('"')) return JSON.stringify(readQuoted(operand, 0).text);
  if (/^-?\d+(\.\d+)?$/.test(operand) || operand === "true" || operand === "false") return operand;
  return toRfcPath(operand);
}
