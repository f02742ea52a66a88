type Variables = { readonly resolveVariable: (address: string) => Promise<unknown> };
type Resolve = (variables: Variables) => Promise<Record<string, unknown>>;

const readParams = jest.requireActual<Resolve>("../../infra/params.cjs");
const keys = jest.requireActual<Resolve>("../../infra/keys.cjs");
const network = jest.requireActual<Resolve>("../../infra/network.cjs");

const defaults: Readonly<Record<string, string>> = {
  alarmTopicArn: "",
  subnetIds: "",
  securityGroupIds: "",
  queueArns: "arn:${AWS::Partition}:sqs:*:*:*",
  secretArns: "arn:aws:secretsmanager:*:*:secret:ebb/*",
  parameterArns: "arn:aws:ssm:*:*:parameter/ebb/*",
  roleArns: "arn:aws:iam::*:role/ebb-*",
  eksClusterArns: "arn:aws:eks:*:*:cluster/*",
  workspaceArns: "arn:aws:aps:*:*:workspace/*",
  kmsKeyArns: "",
};
const given = (params: Readonly<Record<string, string>> = {}): Variables => ({
  resolveVariable: (address) => Promise.resolve({ ...defaults, ...params }[address.replace("param:", "")]),
});

test("lists are split at commas, and ARNs may hold pseudo parameters", async () => {
  const params = await readParams(given({ queueArns: "arn:aws:sqs:*:1:a, arn:${AWS::Partition}:sqs:*:1:b," }));
  expect(params).toMatchObject({
    alarmActions: [],
    queueArns: [{ "Fn::Sub": "arn:aws:sqs:*:1:a" }, { "Fn::Sub": "arn:${AWS::Partition}:sqs:*:1:b" }],
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
              Resource: [{ "Fn::Sub": key }, { "Fn::Sub": "arn:aws:kms:*:1:key/*" }],
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
