import { historyPartition, shardKey } from "../../lib/table/items/keys";
import { type Call, allowing } from "./iam";
import { readYaml } from "./read-template";
import { account, region, stackRoles } from "./stack-roles";

type Json = Readonly<Record<string, unknown>>;
type Given = Readonly<Record<string, string>>;
type Variables = { readonly resolveVariable: (address: string) => Promise<unknown> };

interface MetricsStack {
  readonly function: null | (Json & { readonly package: { readonly patterns: readonly string[] } });
  readonly resources: Json;
}

const read = (file: string) => jest.requireActual<(variables: Variables) => Promise<unknown>>(`../../infra/${file}`);
const { params, functions } = readYaml<{
  readonly params: { readonly default: Json };
  readonly functions: Json;
}>("serverless.yml");
const arnOf = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
const secret = arnOf("secretsmanager", "secret:ebb-metrics-AbCdEf");
const parameter = arnOf("ssm", "parameter/ebb-metrics/token");

const given = (own: Given): Variables => ({
  resolveVariable: (address) => Promise.resolve({ ...params.default, ...own }[address.replace("param:", "")]),
});
const stackWith = (own: Given) => read("metrics.cjs")(given(own)) as Promise<MetricsStack>;

test("without a token there is no function, no URL and no role", async () => {
  expect(functions["metrics"]).toBe("${file(infra/metrics.cjs):function, null}");
  expect(await stackWith({})).toEqual({ function: null, resources: {} });
  expect(Object.keys(await stackRoles()).filter((id) => id.startsWith("Metrics"))).toEqual([]);
});

test("with one, a function streams to its URL, with executions of its own", async () => {
  expect((await stackWith({ metricsTokenArn: secret })).function).toMatchObject({
    url: { invokeMode: "RESPONSE_STREAM" },
    environment: { METRICS_TOKEN: secret },
    reservedConcurrency: 2,
  });
  const shared = await stackWith({ metricsTokenArn: secret, metricsReservedConcurrency: "0" });
  expect(shared.function).not.toHaveProperty("reservedConcurrency");
});

test.each(["-1", "two", "", "1.5"])("metricsReservedConcurrency %j is refused", async (metricsReservedConcurrency) => {
  await expect(stackWith({ metricsTokenArn: secret, metricsReservedConcurrency })).rejects.toThrow(
    `param metricsReservedConcurrency: expected a whole number, or 0 for none, got "${metricsReservedConcurrency}"`,
  );
});

test.each([
  ["a secret's name", "ebb-metrics"],
  ["a secret without its last six characters, which IAM would not match", arnOf("secretsmanager", "secret:metrics")],
  ["a pattern", arnOf("secretsmanager", "secret:*-AbCdEf")],
  ["every parameter", arnOf("ssm", "parameter/*")],
  ["a role", `arn:aws:iam::${account}:role/ebb-metrics`],
  ["two", `${secret},${parameter}`],
])("%s is no token", async (_, metricsTokenArn) => {
  await expect(stackWith({ metricsTokenArn })).rejects.toThrow("param metricsTokenArn: expected one ARN such as");
});

test.each<[string, Given]>([
  ["secretArns", { metricsTokenArn: arnOf("secretsmanager", "secret:ebb/metrics-AbCdEf") }],
  ["secretArns", { metricsTokenArn: secret, secretArns: `arn:aws:sns:::x,${arnOf("secretsmanager", "secret:*")}` }],
  ["secretArns", { metricsTokenArn: secret, secretArns: arnOf("secretsmanager", "secret:ebb-metrics-??????") }],
  ["parameterArns", { metricsTokenArn: arnOf("ssm", "parameter/ebb/metrics") }],
])("a token that %s names too is refused: sync would read it for an entry (%j)", async (name, own) => {
  await expect(stackWith(own)).rejects.toThrow(`expected a secret that ${name} does not name, because sync may read`);
});

describe.each([
  [secret, "secretsmanager:GetSecretValue"],
  [parameter, "ssm:GetParameter"],
])("with the token in %s, its role", (metricsTokenArn, readToken) => {
  const table = arnOf("dynamodb", "table/ebb-prod");
  const may = async (call: Call, role = "MetricsRole") =>
    allowing((await stackRoles({ metricsTokenArn }))[role] ?? [], call).length > 0;
  const item = (action: string, ...leadingKeys: readonly string[]) => ({
    action: `dynamodb:${action}`,
    resource: table,
    leadingKeys,
  });
  const history = `${historyPartition}prod`;

  test.each<readonly [string, Call]>([
    ["find shards", item("Query", shardKey({ cluster: "prod", from: "" }).pk)],
    ["read their last minutes", item("BatchGetItem", history, `${historyPartition}staging`)],
    ["read one of them", item("GetItem", history)],
    ["read the token", { action: readToken, resource: metricsTokenArn }],
  ])("may %s", async (_, call) => {
    expect(await may(call)).toBe(true);
  });

  test.each<readonly [string, Call]>([
    ["read entries", item("BatchGetItem", "CLUSTER#prod")],
    ["read entries beside a last minute", item("BatchGetItem", history, "CLUSTER#prod")],
    ["list a cluster", item("Query", "CLUSTER#prod")],
    ["scan", { action: "dynamodb:Scan", resource: table }],
    ["write", item("PutItem", history)],
    ["read another secret", { action: readToken, resource: metricsTokenArn.replace("metrics", "other") }],
  ])("may not %s", async (_, call) => {
    expect(await may(call)).toBe(false);
  });

  test("alone reads the token", async () => {
    const roles = Object.keys(await stackRoles({ metricsTokenArn })).filter((role) => role !== "MetricsRole");
    expect(roles.length).toBeGreaterThan(4);
    for (const role of roles)
      expect([role, await may({ action: readToken, resource: metricsTokenArn }, role)]).toEqual([role, false]);
  });
});

test("it ships what reads a secret and a parameter, and nothing of sync", async () => {
  const { function: found } = await stackWith({ metricsTokenArn: secret });
  const files = ["metrics", "sdk-resolution", "secrets-manager-client", "ssm-client"];
  expect(found?.package.patterns).toEqual(files.map((name) => `dist/functions/${name}.js`));
});

test.each([
  ["permissions-boundary.cjs", "permissionsBoundary", `arn:aws:iam::${account}:policy/boundary`, "MetricsRole"],
  ["encryption.cjs", "kmsKeyArn", arnOf("kms", "key/1"), "MetricsLambdaFunction"],
  ["encryption.cjs", "kmsKeyArn", arnOf("kms", "key/1"), "MetricsLogGroup"],
])("%s covers it if it is there", async (file, name, value, id) => {
  const with_ = (await read(file)(given({ [name]: value, metricsTokenArn: secret }))) as { readonly extensions: Json };
  const without = (await read(file)(given({ [name]: value }))) as { readonly extensions: Json };
  expect([id in with_.extensions, id in without.extensions]).toEqual([true, false]);
});

test("a key of the token is one of kmsKeyArns, as those of other secrets", async () => {
  const keyOf = async (own: Given) =>
    (await read("keys.cjs")(given({ kmsKeyArns: arnOf("kms", "key/1"), ...own }))) as { readonly Resources: Json };
  expect(await keyOf({ metricsTokenArn: secret })).toHaveProperty("Resources.MetricsKeysPolicy");
  expect(await keyOf({})).not.toHaveProperty("Resources.MetricsKeysPolicy");
});
