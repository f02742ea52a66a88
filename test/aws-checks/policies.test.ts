import { listOf, type Statement } from "../infra/iam";
import { rolesOf } from "../infra/packaged-roles";
import { exampleText } from "../examples/examples";
import { runPython } from "./python";
import { deployed, templateOf, variantNames } from "./variants";

/** Each role of each variant: parliament knows every action, its resources and its conditions. */
type Policies = Readonly<Record<string, { readonly Version: string; readonly Statement: readonly Statement[] }>>;

const documentOf = (statements: readonly Statement[]) => ({ Version: "2012-10-17", Statement: statements });
const roles: Policies = Object.fromEntries(
  variantNames.flatMap((variant) =>
    Object.entries(rolesOf(templateOf(variant), deployed)).map(([role, statements]) => [
      `${variant} ${role}`,
      documentOf(statements),
    ]),
  ),
);
const examples: Policies = {
  "examples/team-policy.json": JSON.parse(exampleText("team-policy.json")) as Policies[string],
  "examples/deploy-policy.json": JSON.parse(exampleText("deploy-policy.json")) as Policies[string],
};
const findingsOf = (policies: object) =>
  runPython<Readonly<Record<string, readonly string[]>>>("scanners", "lint_policies.py", { policies });

/** Findings that stay, by the policy that has them. */
const network = /^RESOURCE_STAR: \['ec2:[^\]]*Addresses'\]/;
const deliberate: Readonly<Record<string, readonly RegExp[]>> = {
  // Lambda makes a function's network interfaces with the function's role. They do not exist yet, so none has an ARN.
  "everything SyncRole": [network],
  "everything WatchRole": [network],
  // parliament's list of actions is older, and knows no policy of a table, only of a stream.
  "examples/deploy-policy.json": [
    /^UNKNOWN_ACTION: Unknown action s3:GetBucketAbac/,
    /^RESOURCE_MISMATCH: \[{'action': 'dynamodb:GetResourcePolicy', 'required_format': '[^']*stream[^']*'}\]/,
    /^UNKNOWN_ACTION: Unknown action lambda:GetFunctionScalingConfig/,
  ],
};

test("parliament finds nothing in the roles and the examples but what stays deliberately", () => {
  // notify, its schedule and metrics have a role each, in the two variants that have them.
  expect(Object.keys(roles)).toHaveLength(5 * variantNames.length + 6);
  const findings = Object.entries(findingsOf({ ...roles, ...examples })).filter(([, found]) => found.length > 0);
  const expected = Object.entries(deliberate).map(([name, patterns]) => [
    name,
    patterns.map((pattern) => expect.stringMatching(pattern) as unknown),
  ]);
  expect(Object.fromEntries(findings)).toEqual(Object.fromEntries(expected));
});

test("a wrong action, resource and condition would be found", () => {
  const Sid = "Wrong";
  const wrong = {
    action: { Sid, Effect: "Allow", Action: "sqs:SendMessages", Resource: "*" },
    resource: { Sid, Effect: "Allow", Action: "sqs:SendMessage", Resource: "arn:aws:dynamodb:eu-central-1:1:table/x" },
    condition: {
      ...{ Sid, Effect: "Allow", Action: "dynamodb:PutItem", Resource: deployed["Table.Arn"] },
      Condition: { StringEquals: { "dynamodb:LeadingKey": ["SHARD"] } },
    },
  };
  const policies = Object.fromEntries(
    Object.entries(wrong).map(([name, each]) => [name, { ...documentOf([]), Statement: [each] }]),
  );
  expect(Object.values(findingsOf(policies)).map((found) => found.length > 0)).toEqual([true, true, true]);
});

/** IAM counts a role's inline policies together, without white space. */
const mostCharacters = 10_240;

test.each(Object.entries(roles))("the policies of %s fit a role, with room for ARNs of your own", (_, document) => {
  const characters = JSON.stringify(document).replaceAll(/\s/g, "").length;
  expect(characters).toBeLessThan(mostCharacters / 2);
  expect(document.Statement.flatMap(({ Action }) => listOf(Action)).length).toBeGreaterThan(0);
});
