/** The quoted text at `start`: its value and its end. @throws SyntaxError */
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

/**
 * A path of kubectl's dialect as one of RFC 9535: `.items[*].metadata.labels.app-name` is
 * `$["items"][*]["metadata"]["labels"]["app-name"]`. kubectl's `@` and `$` both mean the object at hand, names may hold
 * anything but a delimiter, `\.` is a dot within a name. Upstream: k8s.io/client-go/util/jsonpath.
 *
 * @throws SyntaxError for what is no path.
 */
export function toRfcPath(path: string, root: "$" | "@" = "$"): string {
  const source = path.replace(/^[$@]/, "");
  let rfc: string = root;
  let at = 0;
  while (at < source.length) {
    const step = readStep(source, at);
    rfc += step.rfc;
    at = step.end;
  }
  return rfc;
}

interface Step {
  readonly rfc: string;
  readonly end: number;
}

function readStep(source: string, at: number): Step {
  if (source[at] === "[") return readBracket(source, at);
  if (source[at] !== ".") throw new SyntaxError(`unrecognized character in path: ${source.slice(at)}`);
  const deep = source[at + 1] === ".";
  const start = at + (deep ? 2 : 1);
  const dots = deep ? ".." : "";
  if (source[start] === "[") return deep ? withPrefix(dots, readBracket(source, start)) : readBracket(source, start);
  const [name = ""] = /^(?:\\.|[^.[\]\s(){}'",=!<>&|\\])*/s.exec(source.slice(start)) ?? [];
  const end = start + name.length;
  // `{.}` is the object itself.
  if (name === "" && !deep && end === source.length) return { rfc: "", end };
  if (name === "") throw new SyntaxError(`expected a name after the dot: ${source.slice(at)}`);
  if (name === "*") return { rfc: `${dots}[*]`, end };
  return { rfc: `${dots}[${JSON.stringify(name.replace(/\\(.)/gs, "$1"))}]`, end };
}

function withPrefix(prefix: string, { rfc, end }: Step): Step {
  return { rfc: prefix + rfc, end };
}

function readBracket(source: string, start: number): Step {
  const close = closingBracket(source, start);
  const inner = source.slice(start + 1, close).trim();
  return { rfc: `[${isFilter(inner) ? `?${toRfcFilter(inner)}` : toRfcSelectors(inner)}]`, end: close + 1 };
}

/** The bracket that closes the one at `start`, past quoted text and brackets within. */
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

/** Names, indexes, slices, the asterisk; several separated by commas. */
function toRfcSelectors(inner: string): string {
  if (inner === "") throw new SyntaxError("expected an index, a slice, a name or *: []");
  const selectors: string[] = [];
  let rest = inner;
  while (rest !== "") {
    if (rest.startsWith("'") || rest.startsWith('"')) {
      const { text, end } = readQuoted(rest, 0);
      selectors.push(JSON.stringify(text));
      rest = rest.slice(end).trim();
    } else {
      const [plain = ""] = /^[^,]*/.exec(rest) ?? [];
      if (!/^(\*|-?\d+|-?\d*:-?\d*(:-?\d*)?)$/.test(plain.trim()))
        throw new SyntaxError(`invalid array index: [${inner}]`);
      selectors.push(plain.trim());
      rest = rest.slice(plain.length);
    }
    if (rest.startsWith(",")) rest = rest.slice(1).trim();
    else if (rest !== "") throw new SyntaxError(`invalid array index: [${inner}]`);
  }
  return selectors.join(",");
}

/** `?(@.type=="Ready")`, `?(@.labels)`: one comparison, or one test for existence. */
function toRfcFilter(inner: string): string {
  const source = inner.slice(2, -1).trim();
  const at = operatorAt(source);
  if (at === undefined) return toRfcPath(source, "@");
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
  return toRfcPath(operand, "@");
}
