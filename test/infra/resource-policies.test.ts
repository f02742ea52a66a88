import { isAuthorized } from "./resource-policies";
import type { Statement } from "./iam";

/** What AWS' own pages say of a role and a resource with a policy: the rows of their tables. */
const arn = "arn:aws:iam::111111111111:role/reader";
const root = "arn:aws:iam::111111111111:root";
const call = { action: "sqs:GetQueueUrl", resource: "arn:aws:sqs:eu-west-1:111111111111:orders" };
const statement: Statement = { Effect: "Allow", Action: call.action, Resource: "*" };
const of = (AWS: string) => [{ ...statement, Principal: { AWS } }];

interface Row {
  readonly named: string | undefined;
  readonly allowed: readonly (keyof typeof places)[];
}

const places = {
  "a queue of its account": ["queue", "same"],
  "a queue of another": ["queue", "other"],
  "a key of its account": ["key", "same"],
  "a key of another": ["key", "other"],
  "a role of its account": ["role", "same"],
  "a role of another": ["role", "other"],
} as const;
const all = Object.keys(places) as (keyof typeof places)[];
const own = all.filter((place) => places[place][1] === "same");

/** What may be called, where the resource's policy names `named`. */
function allowedTo(statements: readonly Statement[], named: string | undefined): Row["allowed"] {
  return all.filter((place) => {
    const [kind, account] = places[place];
    const policy = { of: kind, account: account === "same" ? "111111111111" : "222222222222" };
    return isAuthorized({ arn, statements }, call, { ...policy, statements: named === undefined ? [] : of(named) });
  });
}

test.each<Row>([
  { named: undefined, allowed: ["a queue of its account"] },
  { named: arn, allowed: all },
  { named: root, allowed: all },
  { named: "111111111111", allowed: all },
  { named: `${arn}-2`, allowed: ["a queue of its account"] },
  { named: "arn:aws:iam::222222222222:root", allowed: ["a queue of its account"] },
])("a role whose own policies allow the call, where the resource's names $named: $allowed", ({ named, allowed }) => {
  expect(allowedTo([statement], named)).toEqual(allowed);
});

test.each<Row>([
  { named: undefined, allowed: [] },
  { named: arn, allowed: own },
  { named: root, allowed: [] },
])("a role whose own policies do not, where the resource's names $named: $allowed", ({ named, allowed }) => {
  expect(allowedTo([], named)).toEqual(allowed);
});

test("a condition of either policy counts, and a key that the request lacks meets none", () => {
  const Condition = { StringEquals: { "sts:ExternalId": "ebb/prod" } };
  const role = { arn, statements: [statement] };
  const asked = (statements: readonly Statement[], context?: Readonly<Record<string, string>>) =>
    isAuthorized(role, { ...call, ...(context && { context }) }, { of: "role", account: "222222222222", statements });
  const bound = of(arn).map((one) => ({ ...one, Condition }));
  expect(asked(bound, { "sts:ExternalId": "ebb/prod" })).toBe(true);
  expect(asked(bound, { "sts:ExternalId": "ebb/other" })).toBe(false);
  expect(asked(bound)).toBe(false);
});

test("what this evaluator does not know is an error, never an answer", () => {
  const policy = { of: "queue", account: "1", statements: of("*") } as const;
  expect(() => isAuthorized({ arn, statements: [] }, call, policy)).toThrow("expected principals by name, got *");
  const deny = { of: "queue", account: "1", statements: [{ ...statement, Effect: "Deny" }] } as const;
  expect(() => isAuthorized({ arn, statements: [] }, call, deny)).toThrow("expected Allow, got Deny");
  const odd = [{ ...statement, Condition: { StringEquals: { "aws:SourceVpc": "vpc-1" } } }];
  expect(() => isAuthorized({ arn, statements: odd }, call, policy)).toThrow("expected a known key of a request");
});
