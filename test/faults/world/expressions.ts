import type {
  AttributeValue,
  DeleteItemCommandInput,
  PutItemCommandInput,
  QueryCommandInput,
} from "@aws-sdk/client-dynamodb";

/** One clause of a ConditionExpression. All clauses must hold. */
export interface Condition {
  readonly kind: "exists" | "notExists" | "equals";
  /** The attribute. */
  readonly name: string;
  readonly value?: AttributeValue | undefined;
}

const clause = /^(?:attribute_(not_)?exists\((#\w+)\)|(#\w+) = (:\w+))$/;

/** The expressions that lib/table writes: clauses joined by AND. @throws Error for any other */
export function conditionOf(input: PutItemCommandInput | DeleteItemCommandInput): readonly Condition[] {
  const { ConditionExpression: text = "", ExpressionAttributeNames, ExpressionAttributeValues } = input;
  const nameOf = (place: string) => resolved(ExpressionAttributeNames?.[place], text);
  return text.split(" AND ").map((each): Condition => {
    const found = clause.exec(each);
    if (found === null) throw unknown(text);
    const [, not, existing, compared, value] = found;
    if (existing !== undefined) return { kind: not === undefined ? "exists" : "notExists", name: nameOf(existing) };
    return { kind: "equals", name: nameOf(compared ?? ""), value: ExpressionAttributeValues?.[value ?? ""] };
  });
}

interface KeyCondition {
  readonly pk: string;
  /** Both ends are inclusive. */
  readonly low?: string | undefined;
  readonly high?: string | undefined;
}

const whole = "#pk = :pk";
const between = "#pk = :pk AND #sk BETWEEN :low AND :high";

/** @throws Error for an expression that lib/table does not write */
export function keyConditionOf({ KeyConditionExpression: text = "", ...input }: QueryCommandInput): KeyCondition {
  if (text !== whole && text !== between) throw unknown(text);
  const values = input.ExpressionAttributeValues ?? {};
  return { pk: resolved(values[":pk"]?.S, text), low: values[":low"]?.S, high: values[":high"]?.S };
}

interface Projecting {
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
}

/** What is sent of an item. @throws Error for an expression that lib/table does not write */
export function projected(item: Item, { ProjectionExpression: text, ...input }: Projecting): Item {
  if (text === undefined) return item;
  const found: Record<string, AttributeValue> = {};
  for (const path of text.split(", ")) {
    const [name = "", member, ...more] = path
      .split(".")
      .map((at) => resolved(input.ExpressionAttributeNames?.[at], at));
    if (more.length > 0) throw unknown(text);
    const value = item[name];
    if (value === undefined) continue;
    if (member === undefined) found[name] = value;
    else if (value.M?.[member] !== undefined) found[name] = { M: { ...found[name]?.M, [member]: value.M[member] } };
  }
  return found;
}

type Item = Readonly<Record<string, AttributeValue>>;

function resolved(value: string | undefined, text: string): string {
  if (value === undefined) throw unknown(text);
  return value;
}

function unknown(text: string): Error {
  return new Error(`expected an expression that the table in memory knows, got ${JSON.stringify(text)}`);
}
