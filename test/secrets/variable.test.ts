import { openHttpSource } from "../../lib/sources/http/http";
import { canary } from "../canaries/canary";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { base64, makeCertificates } from "../cluster/certificates";
import { networkWith } from "../sources/contract/contract";
import { contextOf } from "../sources/read-context";
import { noLimit } from "../time/no-limit";
import { kafkaCredential } from "../../lib/sources/kafka/kafka-credential";
import { postgresqlCredential } from "../../lib/sources/postgresql/postgresql-session";
import { redisCredential } from "../../lib/sources/redis/redis-session";

const token = canary("variable");
let servers: { readonly own: TestServer; readonly other: TestServer };
let ca: string;

beforeAll(async () => {
  const certificates = await makeCertificates();
  const start = () => startServer((_request, response) => json(response, 200, { depth: 3 }), certificates.server);
  servers = { own: await start(), other: await start() };
  ca = base64(certificates.ca);
});
beforeEach(() => {
  for (const { received } of Object.values(servers)) received.splice(0);
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.stop())));

const bound = (members: object = {}) =>
  JSON.stringify({
    cluster: "prod",
    endpoint: servers.own.url,
    certificateAuthorityData: ca,
    token,
    ...members,
  });

interface Given {
  readonly cluster?: string;
  readonly url?: string;
  readonly variables?: ((name: string) => string | undefined) | undefined;
}

/** What a source reads whose secret is `secret`, and which variables were read meanwhile. */
async function read(secret: string, given: Given = {}) {
  const { cluster = "prod", url = servers.own.url } = given;
  const asked: string[] = [];
  const variables = "variables" in given ? given.variables : () => bound();
  const network = {
    ...networkWith(),
    ...(variables && { variables: (name: string) => (asked.push(name), variables(name)) }),
  };
  const source = openHttpSource(network);
  const parameters = { url: `${url}/n`, path: "$.depth", secret, certificateAuthorityData: ca };
  const context = contextOf({ signal: noLimit() });
  const reading = await source
    .open({ ...context, cluster: { ...context.cluster, name: cluster } })
    .read({ metricName: "jobs", parameters });
  return { reading, asked };
}

const gotNothing = () => Object.values(servers).every(({ received }) => received.length === 0);

test("a variable holds a secret as Secrets Manager does, and says which cluster may use it", async () => {
  const { reading, asked } = await read("env:EBB_SECRET_STATS");
  expect(reading).toMatchObject({ items: [{ value: "3" }] });
  expect(new Set(asked)).toEqual(new Set(["EBB_SECRET_STATS"]));
  expect(servers.own.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
});

test("a function has no variables", async () => {
  const { reading } = await read("env:EBB_SECRET_STATS", { variables: undefined });
  expect(reading).toMatchObject({
    error: expect.stringMatching(
      /^(.*: )?secret env:EBB_SECRET_STATS: expected a secret in Secrets Manager or SSM, got a variable/,
    ) as string,
  });
  expect(gotNothing()).toBe(true);
});

test.each([
  "env:AWS_SECRET_ACCESS_KEY",
  "env:HOME",
  "env:",
  "env:EBB_SECRET_",
  "env:EBB_TABLE",
  "env:ebb_secret_stats",
  "env:XEBB_SECRET_STATS",
  "env:EBB_SECRET_STATS:x",
  "env:EBB_SECRET_STATS\nAWS_SECRET_ACCESS_KEY",
  `env:EBB_SECRET_${"X".repeat(201)}`,
  "env:__proto__",
])("no other variable is read: %j", async (secret) => {
  const { reading, asked } = await read(secret);
  expect(reading).toHaveProperty("error");
  expect(asked).toEqual([]);
  expect(gotNothing()).toBe(true);
});

test.each<[string, () => string | undefined, Given, RegExp]>([
  ["that is not set", () => undefined, {}, /expected the variable EBB_SECRET_STATS in the environment/],
  ["that is empty", () => "", {}, /expected the variable EBB_SECRET_STATS in the environment/],
  ["that is a bare token", () => token, {}, /expected JSON .* got no JSON object/],
  ["without a cluster", () => bound({ cluster: undefined }), {}, /expected "cluster": "prod" .* got none/],
  ["of another cluster", () => bound(), { cluster: "x" }, /expected "cluster": "x" .* got another/],
  ["with a list of clusters", () => bound({ cluster: ["prod"] }), {}, /expected "cluster": "prod" .* got another/],
  ["without an endpoint", () => bound({ endpoint: undefined }), {}, /got no endpoint/],
  [
    "with a misspelt credential",
    () => bound({ token: undefined, tocen: token }),
    {},
    /expected .* beside its endpoint/,
  ],
])("a variable %s is sent nowhere and shown nowhere", async (_, variables, given, error) => {
  const { reading } = await read("env:EBB_SECRET_STATS", { ...given, variables });
  expect(reading).toMatchObject({ error: expect.stringMatching(error) as string });
  expect(JSON.stringify(reading)).not.toContain(token);
  expect(gotNothing()).toBe(true);
});

test("a secret may hold a CA alone: the reading has no credential", async () => {
  const { reading } = await read("env:EBB_SECRET_STATS", { variables: () => bound({ token: undefined }) });
  expect(reading).toMatchObject({ items: [{ value: "3" }] });
  expect(servers.own.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test("what a secret without a credential is for", () => {
  expect([redisCredential.none, kafkaCredential.none, postgresqlCredential.none]).toEqual([
    { login: undefined, sentinelLogin: undefined, hidden: [] },
    { hidden: [] },
    undefined, // its user has no default
  ]);
});

test("a variable goes to its own endpoint only, even if the other server has a certificate of the same CA", async () => {
  const { reading } = await read("env:EBB_SECRET_STATS", { url: servers.other.url });
  expect(reading).toMatchObject({
    error: expect.stringMatching(/endpoint: expected the one of .* got another/) as string,
  });
  expect(JSON.stringify(reading)).not.toContain(token);
  expect(gotNothing()).toBe(true);
});

test("a server that repeats the credential shows it to nobody", async () => {
  const { reply } = servers.own;
  servers.own.reply = ({ headers }, response) => json(response, 403, { message: headers.authorization });
  const { reading } = await read("env:EBB_SECRET_STATS");
  servers.own.reply = reply;
  expect(reading).toHaveProperty("error");
  expect(JSON.stringify(reading)).not.toContain(token);
});
