import { deployPolicy, frameworkActions, mayDeploy } from "../infra/deploy-rights";
import { listOf } from "../infra/iam";
import { runPython } from "./python";
import { unusedRights } from "./unused-rights";
import { type Resource, templateOf } from "./variants";

/** examples/deploy-policy.json has the rights that CloudFormation's schemas ask for the stack's resources. */
const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:111122223333:${resource}`;

/** A resource of the stack ebb-prod, as CloudFormation or the stack names it. */
const arnOf: Readonly<Record<string, (id: string, properties: Resource["Properties"]) => string>> = {
  "AWS::CloudWatch::Alarm": (_, { AlarmName }) => arn("cloudwatch", `alarm:${String(AlarmName)}`),
  "AWS::CloudWatch::Dashboard": (_, { DashboardName }) =>
    `arn:aws:cloudwatch::111122223333:dashboard/${String(DashboardName)}`,
  "AWS::DynamoDB::Table": (_, { TableName }) => arn("dynamodb", `table/${String(TableName)}`),
  "AWS::IAM::Role": (id) => `arn:aws:iam::111122223333:role/ebb-prod-${id}-Ab1Cd2Ef3Gh4`,
  "AWS::IAM::RolePolicy": (_, { RoleName }) =>
    `arn:aws:iam::111122223333:role/ebb-prod-${(RoleName as { readonly Ref: string }).Ref}-Ab1Cd2Ef3Gh4`,
  "AWS::Lambda::EventInvokeConfig": () => arn("lambda", "function:ebb-prod-tick"),
  "AWS::Lambda::EventSourceMapping": () => arn("lambda", "event-source-mapping:1234abcd-12ab-34cd-56ef-1234567890ab"),
  "AWS::Lambda::Function": (_, { FunctionName }) => arn("lambda", `function:${String(FunctionName)}`),
  "AWS::Lambda::Permission": () => arn("lambda", "function:ebb-prod-metrics"),
  "AWS::Lambda::Url": () => arn("lambda", "function:ebb-prod-metrics"),
  "AWS::Logs::LogGroup": (_, { LogGroupName }) => arn("logs", `log-group:${String(LogGroupName)}`),
  "AWS::S3::Bucket": () => "arn:aws:s3:::ebb-prod-serverlessdeploymentbucket-ab1cd2ef3gh4",
  "AWS::S3::BucketPolicy": () => "arn:aws:s3:::ebb-prod-serverlessdeploymentbucket-ab1cd2ef3gh4",
  "AWS::SQS::Queue": (_, { QueueName }) => arn("sqs", String(QueueName)),
  "AWS::SQS::QueuePolicy": () => arn("sqs", "ebb-prod-slots"),
  "AWS::Scheduler::Schedule": (_, { Name }) => arn("scheduler", `schedule/default/${String(Name)}`),
};

/** Actions of another resource than the one that is made, and those that IAM gives no resource. */
function resourceOf(action: string, own: string): string {
  if (action === "iam:PassRole") return "arn:aws:iam::111122223333:role/ebb-prod-TickRole-Ab1Cd2Ef3Gh4";
  if (action === "s3:GetObject") return "arn:aws:s3:::ebb-prod-serverlessdeploymentbucket-ab1cd2ef3gh4/tick.zip";
  if (action.startsWith("kms:") && action !== "kms:ListAliases")
    return arn("kms", "key/1234abcd-12ab-34cd-56ef-1234567890ab");
  return own;
}

const resources = Object.entries({
  ...templateOf("prod").Resources,
  ...templateOf("everything").Resources,
});
const rights = runPython<Readonly<Record<string, readonly string[]>>>("botocore", "list_rights.py", {
  region: "eu-central-1",
  types: [...new Set(resources.map(([, { Type }]) => Type))],
});
/** Names of requests, whose right has another name that is needed anyway: s3:PutEncryptionConfiguration. */
const noRights = ["s3:DeleteBucketEncryption"];
const unusedOf = (type: string) => [...Object.values(unusedRights[type] ?? {}).flat(), ...noRights];
const needed = resources.flatMap(([id, { Type, Properties }]) => {
  const own = arnOf[Type]?.(id, Properties);
  if (own === undefined) throw new Error(`${id}: expected a type whose ARN is known, got ${Type}`);
  const actions = (rights[Type] ?? []).filter((action) => !unusedOf(Type).includes(action));
  return actions.map((action) => ({ id, action, resource: resourceOf(action, own) }));
});

test("the policy allows what CloudFormation needs for every resource", () => {
  expect(needed.length).toBeGreaterThan(200);
  expect(needed.filter((call) => !mayDeploy(call))).toEqual([]);
});

test("it allows nothing else", () => {
  const used = new Set([...needed.map(({ action }) => action), ...frameworkActions]);
  const granted = deployPolicy.Statement.flatMap(({ Sid, Action }) =>
    listOf(Action).map((action) => `${Sid} ${action}`),
  );
  expect(granted.filter((right) => !used.has(right.split(" ")[1] ?? ""))).toEqual([]);
});

test("it allows nothing on what is not the stack's", () => {
  const foreign = [
    { action: "dynamodb:DeleteTable", resource: arn("dynamodb", "table/orders") },
    { action: "sqs:DeleteQueue", resource: arn("sqs", "orders") },
    { action: "lambda:UpdateFunctionCode", resource: arn("lambda", "function:checkout") },
    { action: "iam:PutRolePolicy", resource: "arn:aws:iam::111122223333:role/admin" },
    { action: "iam:PassRole", resource: "arn:aws:iam::111122223333:role/admin" },
    { action: "s3:DeleteBucket", resource: "arn:aws:s3:::backups" },
    { action: "cloudformation:DeleteStack", resource: arn("cloudformation", "stack/ebb-dev/1") },
    { action: "kms:Decrypt", resource: arn("kms", "key/another") },
  ];
  expect(foreign.filter(mayDeploy)).toEqual([]);
});

test("it passes roles to Lambda and Scheduler alone, and connects events to the stack's functions", () => {
  const conditions = deployPolicy.Statement.filter(({ Condition }) => Condition !== undefined);
  expect(Object.fromEntries(conditions.map(({ Sid, Condition }) => [Sid, Condition]))).toEqual({
    PassRoles: { StringEquals: { "iam:PassedToService": ["lambda.amazonaws.com", "scheduler.amazonaws.com"] } },
    CreateEvents: { ArnLike: { "lambda:FunctionArn": arn("lambda", "function:ebb-prod-*") } },
  });
});

test("what it leaves out is for properties that no template has, and CloudFormation knows it", () => {
  for (const [type, byProperty] of Object.entries(unusedRights)) {
    const text = JSON.stringify(
      resources.filter(([, { Type }]) => Type === type).map(([, { Properties }]) => Properties),
    );
    for (const [property, actions] of Object.entries(byProperty)) {
      expect([type, property, text.includes(`"${property}":`)]).toEqual([type, property, false]);
      expect([type, actions.filter((action) => !rights[type]?.includes(action))]).toEqual([type, []]);
    }
  }
});

test("it fits a managed policy", () => {
  expect(JSON.stringify(deployPolicy).length).toBeLessThan(6_144);
});
