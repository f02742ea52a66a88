/** The part of IAM's policy language that ebb's policies use; anything else is an error, never an answer. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  /** Of a policy that a resource has: who may call. */
  readonly Principal?: { readonly AWS: string | readonly string[] };
  readonly Action: string | readonly string[];
  /** A role's trust policy has none: it is about that role. */
  readonly Resource?: string | readonly string[];
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
  /** The attributes that a request names: of the item, of a condition, of a projection. None: it names none. */
  readonly attributes?: readonly string[];
  /** What else IAM knows of the request: "sts:ExternalId", "kms:ViaService". */
  readonly context?: Readonly<Record<string, string>>;
}

/** The statements that allow a call. None: it is denied. */
export function allowing(statements: readonly Statement[], call: Call): readonly Statement[] {
  return statements.filter((statement) => allows(statement, call));
}

export function allows({ Sid, Effect, Action, Resource = "*", Condition = {} }: Statement, call: Call): boolean {
  if (Effect !== "Allow") throw new Error(`${Sid ?? "a statement"}: expected Allow, got ${Effect}`);
  return (
    listOf(Action).some((pattern) => isLike(call.action, pattern)) &&
    listOf(Resource).some((pattern) => isLike(call.resource, pattern)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, valuesOf(call, key), listOf(values))),
    )
  );
}

/** Keys that a request may have. A name that is misspelt here or in a policy must not read as a key without a value. */
const knownKeys = ["sts:ExternalId", "kms:ViaService"];

function valuesOf({ leadingKeys, attributes, context = {} }: Call, key: string): readonly string[] | undefined {
  if (key === "dynamodb:LeadingKeys") return leadingKeys;
  if (key === "dynamodb:Attributes") return attributes;
  if (!knownKeys.includes(key)) throw new Error(`expected a known key of a request, got ${key}`);
  const value = context[key];
  return value === undefined ? undefined : [value];
}

/** Without the key in the request, ForAllValues holds: IAM's own trap, which `Null` closes. The others do not. */
function holds(operator: string, given: readonly string[] | undefined, allowed: readonly string[]): boolean {
  const like = (value: string) => allowed.some((pattern) => isLike(value, pattern));
  switch (operator) {
    case "StringEquals":
      return given !== undefined && given.some((value) => allowed.includes(value));
    case "StringLike":
      return given !== undefined && given.some(like);
    case "ForAllValues:StringEquals":
      return (given ?? []).every((value) => allowed.includes(value));
    case "ForAllValues:StringLike":
      return (given ?? []).every(like);
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
