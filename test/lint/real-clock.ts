import ts from "typescript";

/** A place where a test may wait on the clock, and fail because the machine is busy. */
export interface ClockUse {
  readonly line: number;
  /** The line, without its indentation. */
  readonly code: string;
  readonly form: Form;
}

export type Form = "a pause" | "a timer" | "a signal with a time limit" | "a short time limit" | "elapsed time";

/** For a quick look, as parsing takes a hundred times as long. */
const mayUse = /setTimeout|setInterval|sleep|AbortSignal|hrtime|performance|imeout|Ms\b|Date\.now\(\) -|- Date\.now/;

/** What receives a time limit: an option of the product, of Node or of the AWS SDK. In ms, but for `timeoutSeconds`. */
const limitNames = /^((?:[a-z]\w*T|t)imeout(Ms)?|(connect|idle|answer|body|limit|patience|round)Ms)$/;
const runnersLimitMs = 60_000;
const longestSourceSeconds = 10;

const timerNames = new Set(["setTimeout", "setInterval"]);
const timerModules = /^(node:)?timers(\/promises)?$/;

export function clockUsesIn(path: string, text: string): readonly ClockUse[] {
  if (!mayUse.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n");
  const pauses = new Set(["sleep"]);
  const found = new Map<number, ClockUse>();

  function add(node: ts.Node, form: Form): void {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    if (!found.has(line)) found.set(line, { line: line + 1, code: (lines[line] ?? "").trim(), form });
  }

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node)) for (const name of pausesOf(node)) pauses.add(name);
    const form = formOf(node, pauses);
    if (form !== undefined) add(node, form);
    ts.forEachChild(node, visit);
  }
  visit(source);
  return [...found.values()];
}

/** The names by which a file imports the timers of Node's modules. */
function pausesOf({ moduleSpecifier, importClause }: ts.ImportDeclaration): readonly string[] {
  const names = importClause?.namedBindings;
  if (!timerModules.test((moduleSpecifier as ts.StringLiteral).text) || !names || !ts.isNamedImports(names)) return [];
  return names.elements
    .filter(({ name, propertyName }) => timerNames.has((propertyName ?? name).text))
    .map(({ name }) => name.text);
}

function formOf(node: ts.Node, pauses: ReadonlySet<string>): Form | undefined {
  if (ts.isCallExpression(node)) return formOfCall(node.expression, pauses);
  if (ts.isPropertyAssignment(node)) return isShortLimit(node) ? "a short time limit" : undefined;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.MinusToken)
    return isElapsed(node) ? "elapsed time" : undefined;
  return undefined;
}

function formOfCall(called: ts.Expression, pauses: ReadonlySet<string>): Form | undefined {
  if (ts.isIdentifier(called)) {
    if (pauses.has(called.text)) return "a pause";
    return timerNames.has(called.text) ? "a timer" : undefined;
  }
  if (!ts.isPropertyAccessExpression(called)) return undefined;
  const [owner, name] = [called.expression.getText(), called.name.text];
  if (owner === "AbortSignal" && name === "timeout") return "a signal with a time limit";
  if (owner === "performance" && name === "now") return "elapsed time";
  if (name === "hrtime" || owner.endsWith(".hrtime")) return "elapsed time";
  // jest.setTimeout is the runner's limit.
  return timerNames.has(name) && owner !== "jest" ? "a timer" : undefined;
}

function isShortLimit({ name, initializer }: ts.PropertyAssignment): boolean {
  if (!ts.isIdentifier(name) || !ts.isNumericLiteral(initializer)) return false;
  const value = Number(initializer.text);
  if (name.text === "timeoutSeconds") return value < longestSourceSeconds;
  return limitNames.test(name.text) && value < runnersLimitMs;
}

/** `Date.now() - 60_000` is a moment. */
function isElapsed({ left, right }: ts.BinaryExpression): boolean {
  return isRealNow(right) || (isRealNow(left) && !ts.isNumericLiteral(right));
}

function isRealNow(node: ts.Expression): boolean {
  return /^(\w+ \+ )?Date\.now\(\)$/.test(node.getText());
}
