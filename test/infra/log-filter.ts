/**
 * CloudWatch Logs' filter patterns for JSON, as far as ours use them: `{ $.a = "text" && $.b = "text*" }`. A `*` is any
 * text, and a field that is not there matches nothing.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function matchesLogFilter(pattern: string, line: Readonly<Record<string, unknown>>): boolean {
  const inner = /^\{ (.*) \}$/.exec(pattern)?.[1];
  if (inner === undefined) throw new Error(`expected { … }, got ${pattern}`);
  return inner.split(" && ").every((term) => {
    const [, field = "", text = ""] = /^\$\.(\w+) = "([^"]*)"$/.exec(term) ?? [];
    if (field === "") throw new Error(`expected $.field = "text", got ${term}`);
    const value = line[field];
    const source = text.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return typeof value === "string" && new RegExp(`^${source.join(".*")}$`, "s").test(value);
  });
}
