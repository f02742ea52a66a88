import { openSecrets } from "../../lib/secrets/secrets";
import { json, startServer, type Reply, type TestServer } from "../cluster/api-server";
import { soon } from "../cluster/connect";

const AWS = {
  AWS_ACCESS_KEY_ID: "AKID",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_REGION: "eu-central-1",
};

/**
 * Secrets Manager and SSM as far as they speak AWS JSON: the operation is in a header, its input and output in the
 * bodies.
 */
const aws =
  (answers: Readonly<Record<string, unknown>>): Reply =>
  ({ headers }, response) => {
    const answer = answers[String(headers["x-amz-target"])];
    if (answer === undefined) return json(response, 400, { __type: "AccessDeniedException", message: "not allowed" });
    json(response, 200, answer);
  };

describe("secrets", () => {
  const before = { ...process.env };
  let server: TestServer;

  beforeEach(async () => {
    server = await startServer(
      aws({
        "secretsmanager.GetSecretValue": { Name: "x", SecretString: "from secrets manager" },
        "AmazonSSM.GetParameter": { Parameter: { Name: "x", Value: "from ssm" } },
      }),
    );
    Object.assign(process.env, AWS, { AWS_ENDPOINT_URL: server.url });
  });
  afterEach(async () => {
    process.env = { ...before };
    await server.stop();
  });

  const region = () => /\/\d{8}\/([a-z0-9-]+)\//.exec(server.received.at(-1)?.headers.authorization ?? "")?.[1];

  test("by name from Secrets Manager, in the deployment's region", async () => {
    expect(await openSecrets({ region: "eu-west-1" })("prod/token", soon())).toBe("from secrets manager");
    expect(JSON.parse(server.received.at(-1)?.body ?? "")).toEqual({ SecretId: "prod/token" });
    expect(region()).toBe("eu-west-1");
  });

  test("by ARN in the ARN's own region", async () => {
    const arn = "arn:aws:secretsmanager:us-east-2:123456789012:secret:prod/token-AbCdEf";
    expect(await openSecrets({ region: "eu-west-1" })(arn, soon())).toBe("from secrets manager");
    expect(JSON.parse(server.received.at(-1)?.body ?? "")).toEqual({ SecretId: arn });
    expect(region()).toBe("us-east-2");
  });

  test("with ssm: from SSM, decrypted", async () => {
    expect(await openSecrets()("ssm:/prod/token", soon())).toBe("from ssm");
    expect(JSON.parse(server.received.at(-1)?.body ?? "")).toEqual({ Name: "/prod/token", WithDecryption: true });
    expect(region()).toBe("eu-central-1");
  });

  test("binary ones are text", async () => {
    server.reply = aws({ "secretsmanager.GetSecretValue": { SecretBinary: Buffer.from("bytes").toString("base64") } });
    expect(await openSecrets()("x", soon())).toBe("bytes");
  });

  test("an empty one is a bad entry", async () => {
    server.reply = aws({ "secretsmanager.GetSecretValue": { Name: "x" } });
    await expect(openSecrets()("x", soon())).rejects.toMatchObject({
      kind: "badEntry",
      message: "secret x: expected a value, got an empty one",
    });
  });

  test.each([
    ["ResourceNotFoundException", "notFound", undefined],
    ["ParameterNotFound", "notFound", undefined],
    ["AccessDeniedException", "forbidden", "right"],
    ["ValidationException", "badEntry", undefined],
    ["InvalidRequestException", "badEntry", undefined],
    ["DecryptionFailure", "badEntry", undefined],
    ["SomethingElse", "unreachable", "connection"],
  ])(
    "%s is %s, with the secret's name, the service's words, and what another caller may have",
    async (type, kind, lack) => {
      server.reply = (_request, response) => json(response, 400, { __type: type, message: "the service's words" });
      await expect(openSecrets()("prod/token", soon())).rejects.toMatchObject({
        kind,
        message: `secret prod/token: ${type}: the service's words`,
        part: "secret",
        ...(lack !== undefined && { lack }),
      });
    },
  );

  test("a refused signature is not explained, since the service quotes the signed request", async () => {
    server.reply = (_request, response) =>
      json(response, 400, { __type: "UnrecognizedClientException", message: "x-amz-security-token:hunter2" });
    await expect(openSecrets()("prod/token", soon())).rejects.toMatchObject({
      kind: "unauthorized",
      message: "secret prod/token: UnrecognizedClientException",
      cause: undefined,
    });
  });

  test("an answer that is cut off is not quoted", async () => {
    server.reply = (_request, response) => response.end('{"Name":"x","SecretString":"hunter2');
    const outcome = openSecrets()("prod/token", soon());
    await expect(outcome).rejects.toMatchObject({ message: "secret prod/token: SyntaxError", cause: undefined });
  });

  test.each([
    ["Secrets Manager", "prod/token", { SecretString: "it" }],
    ["SSM", "ssm:/prod/token", { Parameter: { Value: "it" } }],
  ])("%s is asked once more when it throttles", async (_service, name, answer) => {
    server.reply = (_request, response) =>
      server.received.length < 2
        ? json(response, 400, { __type: "ThrottlingException", message: "Rate exceeded" })
        : json(response, 200, answer);
    expect(await openSecrets()(name, soon())).toBe("it");
    expect(server.received).toHaveLength(2);
  });

  test("the caller's signal ends the reading", async () => {
    const caller = new AbortController();
    server.reply = () => caller.abort(new Error("the deadline of this sync"));
    await expect(openSecrets()("x", caller.signal)).rejects.toMatchObject({ kind: "timeout" });
  });
});
