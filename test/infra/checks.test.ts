import { readYaml } from "./read-template";

type Template = { readonly Resources: Readonly<Record<string, unknown>> };
type ProblemOfStage = (deployment: { stage: string; policy: unknown; isPolicyGiven: boolean }) => string | undefined;
type ProblemsOfTemplate = (packaged: {
  readonly template: Template;
  readonly region: string;
  readonly stage: string;
  readonly paramOfStatement: Readonly<Record<string, string>>;
  readonly paramOfVariable: (name: string) => string | undefined;
}) => readonly string[];
type Hooks = Readonly<Record<string, () => unknown>>;

const problemOfStage = jest.requireActual<ProblemOfStage>("../../infra/checks/stage-name.cjs");
const problemsOfTemplate = jest.requireActual<ProblemsOfTemplate>("../../infra/checks/template-limits.cjs");
const CheckStack =
  jest.requireActual<new (...args: readonly unknown[]) => { readonly hooks: Hooks }>("../../infra/check-stack.cjs");

describe("the stage's name", () => {
  const problem = (stage: string, isPolicyGiven = false) => problemOfStage({ stage, policy: "Delete", isPolicyGiven });

  test.each(["Prod", "PROD", "production", "prod-eu", "eu-prod", "euProd", "prod2", "prd", "live", "Production-1"])(
    "%s reads like prod: it needs a policy",
    (stage) => {
      expect(problem(stage)).toContain(`the stage ${stage} reads like production`);
      expect(problem(stage, true)).toBeUndefined();
    },
  );

  test.each([
    "prod",
    "dev",
    "product-x",
    "preprod",
    "pre-prod",
    "nonprod",
    "non-prod",
    "nonProd",
    "staging",
    "alive",
    "1",
  ])("%s does not", (stage) => expect(problem(stage)).toBeUndefined());

  test("the policy is one that CloudFormation knows for a table, whatever the stage", () => {
    const policy = problemOfStage({ stage: "dev", policy: "retain", isPolicyGiven: true });
    expect(policy).toBe('param tableDeletionPolicy: expected Retain or Delete, got "retain"');
  });
});

describe("what AWS has no room for", () => {
  const problems = (Resources: Template["Resources"], stage = "dev") =>
    problemsOfTemplate({
      ...{ template: { Resources }, region: "eu-central-1", stage },
      paramOfStatement: { ReadQueues: "queueArns" },
      paramOfVariable: (name) => (name === "SOURCE_HOSTS" ? "sourceHosts" : undefined),
    });
  const functionNamed = (FunctionName: string, Variables = {}) => ({
    Type: "AWS::Lambda::Function",
    Properties: { FunctionName, Environment: { Variables } },
  });

  test("a name: the one that leaves the least room says how long the stage's may be", () => {
    const stage = "s".repeat(55);
    const resources = (of: string) => ({
      Sync: functionNamed(`ebb-${of}-sync`),
      Watch: functionNamed(`ebb-${of}-watch`),
      Queue: { Type: "AWS::SQS::Queue", Properties: { QueueName: `ebb-${of}-slots-dead` } },
    });
    expect(problems(resources(stage), stage)).toEqual([
      `the stage's name: expected at most 54 characters, got 55, because AWS::Lambda::Function ebb-${stage}-watch may have 64. Choose a shorter name`,
    ]);
    expect(problems(resources(stage.slice(1)), stage.slice(1))).toEqual([]);
  });

  test("an environment: its references count with what they stand for", () => {
    const queue = { Type: "AWS::SQS::Queue", Properties: { QueueName: "ebb-dev-slots" } };
    // {"QUEUE_URL":"https://sqs.eu-central-1.amazonaws.com/000000000000/ebb-dev-slots","SOURCE_HOSTS":""}
    const room = 4_096 - 99;
    const sync = (hosts: number) =>
      functionNamed("ebb-dev-sync", { QUEUE_URL: { Ref: "SlotQueue" }, SOURCE_HOSTS: "h".repeat(hosts) });
    expect(problems({ SlotQueue: queue, Sync: sync(room) })).toEqual([]);
    expect(problems({ SlotQueue: queue, Sync: sync(room + 1) })).toEqual([
      expect.stringMatching(
        /^function ebb-dev-sync: expected at most 4,096 bytes in its environment, got 4,097\. The longest variables: SOURCE_HOSTS 3,998 \(param sourceHosts\), QUEUE_URL 65\./,
      ),
    ]);
  });

  test("bytes count, not characters", () => {
    expect(problems({ Sync: functionNamed("f", { SOURCE_HOSTS: "ä".repeat(3_000) }) })).toHaveLength(1);
  });

  test("a role: all of its policies together, without white space", () => {
    const arn = { "Fn::Sub": "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:queue-with-a-name" };
    const statement = (Resource: unknown) => ({
      Sid: "ReadQueues",
      Effect: "Allow",
      Action: "sqs:GetQueueUrl",
      Resource,
    });
    const policy = (Resource: unknown) => ({
      PolicyDocument: { Version: "2012-10-17", Statement: [statement(Resource)] },
    });
    const withQueues = (count: number) => ({
      SyncRole: {
        Type: "AWS::IAM::Role",
        Properties: { Policies: [policy(Array.from({ length: count }, () => arn)), policy("*")] },
      },
      Apart: { Type: "AWS::IAM::RolePolicy", Properties: { RoleName: { Ref: "SyncRole" }, ...policy("* * *") } },
    });
    // arn:aws:sqs:eu-central-1:000000000000:queue-with-a-name, quotes and a comma: 58. The rest of three policies: 340.
    const most = Math.floor((10_240 - 340) / 58);
    expect(problems(withQueues(most - 1))).toEqual([]);
    const [problem = "", ...more] = problems(withQueues(most + 1));
    expect(more).toEqual([]);
    expect(problem).toMatch(
      /^SyncRole: expected at most 10,240 characters in its policies, got 10,\d{3}\. The longest statements: ReadQueues 9,\d{3} \(param queueArns\), /,
    );
  });

  test("what cannot be known counts as long", () => {
    const Variables = { A: { "Fn::ImportValue": "x" }, B: "b".repeat(4_000) };
    expect(problems({ Sync: functionNamed("f", Variables) })).toHaveLength(1);
  });
});

describe("the framework's plugin", () => {
  const stack = readYaml<{ readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>> }>(
    "serverless.yml",
  );

  function deploying(
    stage: string,
    { param, Resources = {} }: { param?: unknown; Resources?: Template["Resources"] } = {},
  ) {
    const policy = stack.params[stage]?.["tableDeletionPolicy"] ?? stack.params["default"]?.["tableDeletionPolicy"];
    const serverless = {
      classes: { Error },
      configurationInput: { params: stack.params },
      getProvider: () => ({ getStage: () => stage, getRegion: () => "eu-central-1" }),
      processedInput: { options: { param } },
      service: {
        resources: { Resources: { Table: { DeletionPolicy: policy } } },
        provider: { compiledCloudFormationTemplate: { Resources } },
      },
    };
    const { hooks } = new CheckStack(serverless, {}, { log: console });
    return () => {
      hooks["before:package:cleanup"]?.();
      hooks["after:aws:package:finalize:mergeCustomProviderResources"]?.();
    };
  }

  test("a policy for the stage counts, on the command line or in serverless.yml", () => {
    expect(deploying("prod")).not.toThrow();
    expect(deploying("production")).toThrow("reads like production");
    expect(deploying("production", { param: ["tableDeletionPolicy=Delete"] })).not.toThrow();
    expect(deploying("production", { param: "tableDeletionPolicy=Delete" })).not.toThrow();
    expect(deploying("production", { param: ["tableDeletionPolicies=Delete"] })).toThrow("reads like production");
  });

  test("each statement that a param fills says which one", () => {
    const Statement =
      ["ReadQueueDepths", "QueryWorkspaces", "ReadClusterSecrets", "ReadClusterParameters", "CheckEksEndpoints", "ActAsClusterRoles"] // prettier-ignore
        .map((Sid) => ({ Sid, Resource: "r".repeat(11_000) }));
    const said = Statement.map((one) => {
      const role = { Type: "AWS::IAM::Role", Properties: { Policies: [{ PolicyDocument: { Statement: [one] } }] } };
      try {
        deploying("dev", { Resources: { SyncRole: role } })();
      } catch (error) {
        return /\(param (\w+)\)/.exec(String(error))?.[1];
      }
      return undefined;
    });
    expect(said).toEqual(["queueArns", "workspaceArns", "secretArns", "parameterArns", "eksClusterArns", "roleArns"]);
  });

  test("each variable that a param fills says which one", () => {
    const sync = {
      Type: "AWS::Lambda::Function",
      Properties: {
        FunctionName: "f",
        Environment: { Variables: { ALLOWED_HOSTS: "h".repeat(5_000), TABLE_STREAM: "true" } },
      },
    };
    expect(deploying("dev", { Resources: { Sync: sync } })).toThrow(
      "The longest variables: ALLOWED_HOSTS 5,000 (param allowedHosts), TABLE_STREAM 4.",
    );
  });
});
