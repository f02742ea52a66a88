/** A time series: datapoints by the start of their period, in ms. */
export type Points = ReadonlyMap<number, number>;

/** The result of an expression: one number for all periods, one time series, or several. */
export type MathValue = number | Points | readonly Points[];

export interface MathScope {
  /** The value of an id; undefined when no query has it. */
  readonly valueOf: (id: string) => MathValue | undefined;
  /** All metrics of the request, for METRICS(). */
  readonly metrics: () => readonly Points[];
  readonly periods: readonly number[];
  readonly periodSeconds: number;
}

/** Why an expression is refused, in CloudWatch's manner. */
export class MathError extends Error {}

const token =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|("[^"]*"|'[^']*')|(<=|>=|==|!=|&&|\|\||[-+*/^()[\],<>]))/y;

/**
 * Evaluates the part of metric math that the tests use: arithmetic, comparison, SUM MAX MIN AVG ABS CEIL FLOOR FILL IF
 * METRICS PERIOD.
 */
export function evaluateMath(expression: string, scope: MathScope): MathValue {
  const tokens = tokenize(expression);
  let position = 0;
  const peek = (): string | undefined => tokens[position];
  const take = (expected?: string): string => {
    const next = tokens[position++];
    if (next === undefined || (expected !== undefined && next !== expected)) throw new MathError("Invalid syntax");
    return next;
  };
  const leftToRight = (operators: readonly string[], operand: () => MathValue) => (): MathValue => {
    let left = operand();
    for (let next = peek(); next !== undefined && operators.includes(next); next = peek()) {
      const operator = operation(take());
      left = pairwise(left, operand(), operator);
    }
    return left;
  };
  const list = (end: string): MathValue[] => {
    const items: MathValue[] = [];
    while (peek() !== end) {
      if (items.length > 0) take(",");
      items.push(sum());
    }
    take(end);
    return items;
  };
  const factor = (): MathValue => {
    const next = take();
    if (next === "-") return pairwise(0, factor(), operation("-"));
    if (next === "(") {
      const inner = comparison();
      take(")");
      return inner;
    }
    if (next === "[") return list("]").flatMap(asSeries);
    if (/^[\d.]/.test(next)) return Number(next);
    if (/^[A-Z]/.test(next)) return callFunction(next);
    const value = scope.valueOf(next);
    if (value === undefined) throw new MathError(`Unsupported identifier: ${next}`);
    return value;
  };
  const callFunction = (name: string): MathValue => {
    take("(");
    if (name === "FILL") return fill(scope);
    if (name === "METRICS") {
      if (peek() !== ")") take();
      take(")");
      return scope.metrics();
    }
    if (name === "IF") {
      const condition = comparison();
      take(",");
      const [whenTrue = 0, whenFalse] = list(")");
      return choose(condition, whenTrue, whenFalse);
    }
    return apply(name, list(")"), scope);
  };
  const fill = ({ periods }: MathScope): MathValue => {
    const series = asSeries(comparison())[0] ?? new Map<number, number>();
    take(",");
    const by = peek() === "REPEAT" ? (take(), "REPEAT" as const) : scalar(sum());
    take(")");
    return filled(series, by, periods);
  };
  const product = leftToRight(["*", "/", "^"], factor);
  const sum = leftToRight(["+", "-"], product);
  const comparison = leftToRight(["<", ">", "<=", ">=", "==", "!="], sum);

  const value = comparison();
  if (position !== tokens.length) throw new MathError("Invalid syntax");
  return value;
}

function tokenize(expression: string): readonly string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < expression.trimEnd().length) {
    const match = token.exec(expression);
    if (match === null) throw new MathError("Invalid syntax");
    tokens.push(match[0].trim());
  }
  return tokens;
}

type Operation = (a: number, b: number) => number;

function operation(operator: string): Operation {
  const operations: Readonly<Record<string, Operation>> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "^": (a, b) => a ** b,
    "<": (a, b) => Number(a < b),
    ">": (a, b) => Number(a > b),
    "<=": (a, b) => Number(a <= b),
    ">=": (a, b) => Number(a >= b),
    "==": (a, b) => Number(a === b),
    "!=": (a, b) => Number(a !== b),
  };
  const found = operations[operator];
  if (found === undefined) throw new MathError(`Unsupported operator: ${operator}`);
  return found;
}

/** Two series meet where both have a datapoint; a number meets every datapoint. */
function pairwise(left: MathValue, right: MathValue, operate: Operation): MathValue {
  if (typeof left === "number" && typeof right === "number") return operate(left, right);
  if (typeof left === "number") return mapSeries(right, (value) => operate(left, value));
  if (typeof right === "number") return mapSeries(left, (value) => operate(value, right));
  const other = single(right);
  return mapSeries(left, (value, at) => {
    const partner = other.get(at);
    return partner === undefined ? undefined : operate(value, partner);
  });
}

function mapSeries(value: MathValue, change: (value: number, at: number) => number | undefined): MathValue {
  const changed = asSeries(value).map((points) => {
    const result = new Map<number, number>();
    for (const [at, point] of points) {
      const next = change(point, at);
      if (next !== undefined) result.set(at, next);
    }
    return result;
  });
  return value instanceof Map ? single(changed) : changed;
}

function choose(condition: MathValue, whenTrue: MathValue, whenFalse: MathValue | undefined): MathValue {
  const at = (value: MathValue | undefined, moment: number): number | undefined =>
    value === undefined || typeof value === "number" ? value : single(value).get(moment);
  if (typeof condition === "number") return (condition !== 0 ? whenTrue : whenFalse) ?? new Map<number, number>();
  return mapSeries(condition, (holds, moment) => at(holds !== 0 ? whenTrue : whenFalse, moment));
}

/** Over several series: a series with one value for each moment. Over one series: a number. */
function apply(name: string, values: readonly MathValue[], { periodSeconds }: MathScope): MathValue {
  if (name === "PERIOD") return periodSeconds;
  const [value = []] = values;
  const rounding = { ABS: Math.abs, CEIL: Math.ceil, FLOOR: Math.floor }[name];
  if (rounding !== undefined) return typeof value === "number" ? rounding(value) : mapSeries(value, rounding);
  const total = (list: readonly number[]): number => list.reduce((sum, item) => sum + item, 0);
  const aggregate = {
    SUM: total,
    MAX: (list: readonly number[]) => Math.max(...list),
    MIN: (list: readonly number[]) => Math.min(...list),
    AVG: (list: readonly number[]) => total(list) / list.length,
  }[name];
  if (aggregate === undefined) throw new MathError(`Unsupported function: ${name}`);
  if (typeof value === "number") return value;
  if (value instanceof Map) return aggregate([...(value as Points).values()]);
  const moments = new Map<number, number[]>();
  for (const points of asSeries(value)) {
    for (const [at, point] of points) moments.set(at, [...(moments.get(at) ?? []), point]);
  }
  return new Map([...moments].map(([at, list]) => [at, aggregate(list)]));
}

function filled(series: Points, by: number | "REPEAT", periods: readonly number[]): Points {
  const result = new Map<number, number>();
  let last: number | undefined;
  for (const at of periods) {
    const value = series.get(at) ?? (by === "REPEAT" ? last : by);
    if (value !== undefined) result.set(at, value);
    last = value;
  }
  return result;
}

export function asSeries(value: MathValue): readonly Points[] {
  if (typeof value === "number") throw new MathError("Expected a time series, got a number");
  return value instanceof Map ? [value as Points] : (value as readonly Points[]);
}

function single(value: MathValue): Points {
  const [first = new Map<number, number>(), ...others] = asSeries(value);
  if (others.length > 0) throw new MathError("Expected one time series, got several");
  return first;
}

function scalar(value: MathValue): number {
  if (typeof value !== "number") throw new MathError("Expected a number, got a time series");
  return value;
}
