/** The part of IAM's policy language that ebb's policies use; anything else is an error, never an answer. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A request to AWS as IAM sees it. */
export interface Call {
  /** "dynamodb:PutItem" */
  readonly action: string;
  /** An ARN; "*" for an action without resources. */
  readonly resource: string;
  /** The partition keys of a request to a table. */
  readonly leadingKeys?: readonly string[];
}

/** The statements that allow a call. None: it is denied. */
export function allowing(statements: readonly Statement[], call: Call): readonly Statement[] {
  return statements.filter((statement) => allows(statement, call));
}

export function allows({ Sid, Effect, Action, Resource, Condition = {} }: Statement, call: Call): boolean {
  if (Effect !== "Allow") throw new Error(`${Sid}: expected Allow, got ${Effect}`);
  return (
    listOf(Action).some((pattern) => isLike(call.action, pattern)) &&
    listOf(Resource).some((pattern) => isLike(call.resource, pattern)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, valuesOf(call, key), listOf(values))),
    )
  );
}

function valuesOf({ leadingKeys }: Call, key: string): readonly string[] | undefined {
  if (key !== "dynamodb:LeadingKeys") throw new Error(`expected dynamodb:LeadingKeys, got ${key}`);
  return leadingKeys;
}

/** Without the key in the request, ForAllValues holds: IAM's own trap, which `Null` closes. */
function holds(operator: string, given: readonly string[] | undefined, allowed: readonly string[]): boolean {
  switch (operator) {
    case "ForAllValues:StringEquals":
      return (given ?? []).every((value) => allowed.includes(value));
    case "ForAllValues:StringLike":
      return (given ?? []).every((value) => allowed.some((pattern) => isLike(value, pattern)));
    case "Null":
      return allowed.every((isAbsent) => (given === undefined) === (isAbsent === "true"));
    default:
      throw new Error(`expected a known operator, got ${operator}`);
  }
}

/** "*" is any text, "?" any character. */
export function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}

export function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
