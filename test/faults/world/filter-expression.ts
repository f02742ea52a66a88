import type { AttributeValue, QueryCommandInput } from "@aws-sdk/client-dynamodb";

type Item = Readonly<Record<string, AttributeValue>>;
type Input = Pick<QueryCommandInput, "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues">;
type Keeps = (item: Item) => boolean;

const contained = /^contains\((\S+), (:\w+)\)$/;
const existing = /^attribute_exists\((\S+)\)$/;
const equal = /^(\S+) = (:\w+)$/;
const listed = /^(\S+) IN \((.+)\)$/;

/** The filters that lib/table writes: clauses joined by OR, or one clause AND such clauses in brackets. */
export function filterOf({ FilterExpression: text, ...input }: Input): Keeps {
  if (text === undefined) return () => true;
  const [, first, rest = text] = /^(\S+ = \S+) AND \((.+)\)$/.exec(text) ?? [];
  const isFirst = first === undefined ? () => true : clauseOf(first, input);
  const others = rest.split(" OR ").map((clause) => clauseOf(clause, input));
  return (item) => isFirst(item) && others.some((keeps) => keeps(item));
}

/** @throws Error for a clause that lib/table does not write */
function clauseOf(clause: string, input: Input): Keeps {
  const valueOf = (place = "") => known(input.ExpressionAttributeValues?.[place]?.S, clause);
  const [, whole, part] = contained.exec(clause) ?? [];
  if (whole !== undefined) {
    const [at, value] = [reader(whole, input), valueOf(part)];
    return (item) => at(item)?.S?.includes(value) === true;
  }
  const [, there] = existing.exec(clause) ?? [];
  if (there !== undefined) {
    const at = reader(there, input);
    return (item) => at(item) !== undefined;
  }
  const [, compared, one] = equal.exec(clause) ?? [];
  const [, among, list = ""] = listed.exec(clause) ?? [];
  const at = reader(known(compared ?? among, clause), input);
  const values = new Set(one === undefined ? list.split(", ").map(valueOf) : [valueOf(one)]);
  return (item) => values.has(at(item)?.S ?? "");
}

/** Of a path such as `#s.#m[0].#e`. */
function reader(path: string, { ExpressionAttributeNames: names }: Input): (item: Item) => AttributeValue | undefined {
  const steps = path.split(".").map((step) => {
    const [, place = "", index] = /^(#\w+)(?:\[(\d+)\])?$/.exec(step) ?? [];
    return { name: known(names?.[place], path), index: index === undefined ? undefined : Number(index) };
  });
  return (item) => {
    let found: AttributeValue | undefined = { M: item };
    for (const { name, index } of steps) {
      found = found?.M?.[name];
      if (index !== undefined) found = found?.L?.[index];
      if (found === undefined) return undefined;
    }
    return found;
  };
}

function known(value: string | undefined, text: string): string {
  if (value !== undefined) return value;
  throw new Error(`expected a filter that the table in memory knows, got ${JSON.stringify(text)}`);
}
