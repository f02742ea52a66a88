import { readYaml } from "./read-template";

type Variables = { readonly resolveVariable: (address: string) => Promise<unknown> };
type Resolve = (variables: Variables) => Promise<Record<string, unknown>>;

interface KeyPolicy {
  readonly Properties: {
    readonly RoleName: { readonly Ref: string };
    readonly PolicyDocument: {
      readonly Statement: readonly { readonly Action: readonly string[]; readonly Condition: object }[];
    };
  };
}

const readParams = jest.requireActual<Resolve>("../../infra/params.cjs");
const keys = jest.requireActual<Resolve>("../../infra/keys.cjs");
const network = jest.requireActual<Resolve>("../../infra/network.cjs");
const concurrency = jest.requireActual<Resolve>("../../infra/concurrency.cjs");
const encryption = jest.requireActual<Resolve>("../../infra/encryption.cjs");
const boundary = jest.requireActual<Resolve>("../../infra/permissions-boundary.cjs");

const defaults: Readonly<Record<string, string>> = {
  alarmTopicArn: "",
  dashboard: "false",
  notifyArn: "",
  notifyKmsKeyArn: "",
  notifyMinutes: "10",
  notifyFailingMinutes: "1",
  notifyHourlyCap: "100",
  notifyTypes: "",
  notifyClusters: "",
  notifyNamespaces: "",
  notifyLabels: "",
  metricsTokenArn: "",
  metricsReservedConcurrency: "2",
  syncConcurrency: "10",
  syncPollers: "",
  tickReservedConcurrency: "0",
  subnetIds: "",
  securityGroupIds: "",
  queueArns: "arn:${AWS::Partition}:sqs:*:*:*",
  secretArns: "arn:aws:secretsmanager:*:*:secret:ebb/*",
  parameterArns: "arn:aws:ssm:*:*:parameter/ebb/*",
  roleArns: "arn:aws:iam::*:role/ebb-*",
  eksClusterArns: "arn:aws:eks:*:*:cluster/*",
  workspaceArns: "arn:aws:aps:*:*:workspace/*",
  kmsKeyArns: "",
  kmsKeyArn: "",
  permissionsBoundary: "",
};
const key = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const policy = "arn:aws:iam::111122223333:policy/boundary";
const given = (params: Readonly<Record<string, string>> = {}): Variables => ({
  resolveVariable: (address) => Promise.resolve({ ...defaults, ...params }[address.replace("param:", "")]),
});

test("lists are split at commas, and ARNs may hold pseudo parameters", async () => {
  const params = await readParams(given({ queueArns: "arn:aws:sqs:*:1:a, arn:${AWS::Partition}:sqs:*:1:b," }));
  expect(params).toMatchObject({
    alarmActions: [],
    queueArns: ["arn:aws:sqs:*:1:a", { "Fn::Sub": "arn:${AWS::Partition}:sqs:*:1:b" }],
  });
});

test.each(["queueArns", "secretArns", "parameterArns", "roleArns", "eksClusterArns", "workspaceArns"])(
  "%s must name something",
  async (name) => {
    await expect(readParams(given({ [name]: "" }))).rejects.toThrow(`param ${name}: expected one ARN or more`);
  },
);

describe("keys of secrets", () => {
  const key = "arn:${AWS::Partition}:kms:eu-central-1:111122223333:key/1234";

  test("without a key, nothing is granted", async () => {
    expect(await keys(given())).toEqual({});
  });

  test("sync and watch may decrypt with the keys, through the services that hold secrets alone", async () => {
    const found = (await keys(given({ kmsKeyArns: `${key}, arn:aws:kms:*:1:key/*` }))) as {
      readonly Resources: Readonly<Record<string, { readonly Properties: object }>>;
    };
    expect(Object.values(found.Resources).map(({ Properties }) => Properties)).toEqual(
      ["SyncRole", "WatchRole"].map((Ref) => ({
        RoleName: { Ref },
        PolicyName: "keys",
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Sid: "DecryptSecrets",
              Effect: "Allow",
              Action: "kms:Decrypt",
              Resource: [{ "Fn::Sub": key }, "arn:aws:kms:*:1:key/*"],
              Condition: {
                StringLike: {
                  "kms:ViaService": [
                    { "Fn::Sub": "secretsmanager.*.${AWS::URLSuffix}" },
                    { "Fn::Sub": "ssm.*.${AWS::URLSuffix}" },
                  ],
                },
              },
            },
          ],
        },
      })),
    );
  });

  test.each(["arn:aws:kms:eu-central-1:1:alias/mine", "mine", "*", "arn:aws:kms:eu-central-1:1:key/"])(
    "%s is no key: IAM would match it with none",
    async (kmsKeyArns) => {
      await expect(keys(given({ kmsKeyArns }))).rejects.toThrow(
        `param kmsKeyArns: expected ARNs of KMS keys (arn:aws:kms:…:key/…), got ${kmsKeyArns}`,
      );
    },
  );
});

describe("network", () => {
  test("without subnets there is no VPC", async () => {
    expect(await network(given())).toEqual({});
  });

  test("with subnets sync is in them, with the permission that this takes", async () => {
    expect(await network(given({ subnetIds: "subnet-1,subnet-2", securityGroupIds: "sg-1" }))).toMatchObject({
      Resources: { SyncNetworkPolicy: { Properties: { RoleName: { Ref: "SyncRole" } } } },
      extensions: {
        SyncLambdaFunction: {
          Properties: { VpcConfig: { SubnetIds: ["subnet-1", "subnet-2"], SecurityGroupIds: ["sg-1"] } },
          DependsOn: ["SyncNetworkPolicy"],
        },
      },
    });
  });

  test.each(["subnetIds", "securityGroupIds"])("%s alone are not enough", async (name) => {
    await expect(network(given({ [name]: "id-1" }))).rejects.toThrow("expected both or neither, got one of them");
  });
});

describe("concurrency", () => {
  const extended = async (params: Readonly<Record<string, string>>) => {
    const { extensions } = (await concurrency(given(params))) as {
      readonly extensions: Readonly<Record<string, { readonly Properties: unknown }>>;
    };
    return {
      pollers: extensions["SyncEventSourceMappingSQSSlotQueue"]?.Properties,
      tick: extensions["TickLambdaFunction"]?.Properties,
    };
  };

  test("by default, Lambda scales the pollers up to syncConcurrency, and tick has no reservation", async () => {
    expect(await extended({})).toEqual({ pollers: { ScalingConfig: { MaximumConcurrency: 10 } }, tick: {} });
  });

  test("provisioned pollers take the place of the limit, and remove it", async () => {
    expect(await extended({ syncPollers: "2, 40" })).toMatchObject({
      pollers: { ScalingConfig: {}, ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 40 } },
    });
  });

  test.each(["2", "1,2", "3,2", "2,x", "2,3,4", "201,300", "2,10001", "2.5,3"])(
    "syncPollers %s is refused",
    async (syncPollers) => {
      const expected = `param syncPollers: expected two numbers such as 2,10: at least 2 to 200, at most 2 to 10000, got "${syncPollers}"`;
      await expect(extended({ syncPollers })).rejects.toThrow(expected);
    },
  );

  test.each(["1", "1001", "ten", ""])("syncConcurrency %p is refused", async (syncConcurrency) => {
    await expect(extended({ syncConcurrency })).rejects.toThrow("expected a whole number from 2 to 1000");
  });

  test("tick has a reservation if it is above 0: with 0, Lambda would never start it", async () => {
    expect(await extended({ tickReservedConcurrency: "2" })).toMatchObject({
      tick: { ReservedConcurrentExecutions: 2 },
    });
    expect((await extended({ tickReservedConcurrency: "" })).tick).toEqual({});
    await expect(extended({ tickReservedConcurrency: "-1" })).rejects.toThrow("expected a whole number, or 0 for none");
  });
});

describe("encryption", () => {
  test("without a key of your own, AWS' own keys encrypt", async () => {
    expect(await encryption(given())).toEqual({});
  });

  test("a key encrypts the table, and each function's logs and environment", async () => {
    const notifyArn = "arn:aws:sns:eu-central-1:111122223333:ebb";
    const metricsTokenArn = "arn:aws:ssm:eu-central-1:111122223333:parameter/ebb-metrics/token";
    const { extensions } = await encryption(given({ kmsKeyArn: key, notifyArn, metricsTokenArn }));
    expect(extensions).toMatchObject({
      Table: { Properties: { SSESpecification: { SSEEnabled: true, SSEType: "KMS", KMSMasterKeyId: key } } },
    });
    const functions = Object.keys(readYaml<{ readonly functions: object }>("serverless.yml").functions);
    for (const name of functions.map((each) => `${each.charAt(0).toUpperCase()}${each.slice(1)}`))
      expect(extensions).toMatchObject({
        [`${name}LambdaFunction`]: { Properties: { KmsKeyArn: key } },
        [`${name}LogGroup`]: { Properties: { KmsKeyId: key } },
      });
  });

  test("each function may use that key through DynamoDB and Lambda, and wake, which writes nothing, only to read", async () => {
    const { Resources } = await encryption(given({ kmsKeyArn: key }));
    const policies = Object.values(Resources as Record<string, KeyPolicy>).map(({ Properties }) => Properties);
    expect(policies.map(({ RoleName }) => RoleName.Ref)).toEqual(["TickRole", "WakeRole", "SyncRole", "WatchRole"]);
    for (const { RoleName, PolicyDocument } of policies) {
      const [statement] = PolicyDocument.Statement;
      expect(statement).toMatchObject({ Effect: "Allow", Resource: key });
      expect(statement?.Condition).toEqual({
        StringEquals: {
          "kms:ViaService": [
            { "Fn::Sub": "dynamodb.${AWS::Region}.${AWS::URLSuffix}" },
            { "Fn::Sub": "lambda.${AWS::Region}.${AWS::URLSuffix}" },
          ],
        },
      });
      expect(statement?.Action.includes("kms:GenerateDataKey")).toBe(RoleName.Ref !== "WakeRole");
    }
  });

  test.each([
    ["an alias, which CloudWatch Logs refuses", "arn:aws:kms:eu-central-1:111122223333:alias/ebb"],
    ["a key's id", "1234abcd-12ab-34cd-56ef-1234567890ab"],
    ["two keys", `${key},${key}`],
  ])("is not taken from %s", async (_what, kmsKeyArn) => {
    await expect(encryption(given({ kmsKeyArn }))).rejects.toThrow(
      "param kmsKeyArn: expected one ARN such as arn:aws:kms:",
    );
  });
});

describe("the permissions boundary", () => {
  test("without one, no role has any", async () => {
    expect(await boundary(given())).toEqual({});
  });

  test("limits every role of the stack", async () => {
    const roles = Object.keys(readYaml<{ readonly Resources: object }>("infra/roles.yml").Resources);
    const bounded = { Properties: { PermissionsBoundary: policy } };
    expect(await boundary(given({ permissionsBoundary: policy }))).toEqual({
      extensions: Object.fromEntries(roles.map((role) => [role, bounded])),
    });
  });

  test("is a managed policy, not a role", async () => {
    const permissionsBoundary = policy.replace("policy/", "role/");
    await expect(boundary(given({ permissionsBoundary }))).rejects.toThrow(
      `param permissionsBoundary: expected one ARN such as ${policy}, got ${permissionsBoundary}`,
    );
  });
});
