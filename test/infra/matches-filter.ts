/**
 * Lambda's rules for event filters, as far as our patterns use them: every field of the pattern has to be in the
 * record, and a leaf is a list, and one of its elements has to match.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
export function matchesFilter(pattern: unknown, record: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.some((rule) => matchesRule(rule, record));
  if (typeof pattern !== "object" || pattern === null) throw new Error(`expected an object, got ${String(pattern)}`);
  return Object.entries(pattern).every(
    ([field, inner]) =>
      typeof record === "object" &&
      record !== null &&
      Object.hasOwn(record, field) &&
      matchesFilter(inner, (record as Record<string, unknown>)[field]),
  );
}

function matchesRule(rule: unknown, value: unknown): boolean {
  if (typeof rule === "string") return value === rule;
  const [[name, operand] = [], ...more] = Object.entries(rule as object) as [string, unknown][];
  if (name === "prefix" && typeof operand === "string" && more.length === 0) {
    return typeof value === "string" && value.startsWith(operand);
  }
  throw new Error(`this matcher knows text and prefix, got ${JSON.stringify(rule)}`);
}
