import { parseAllDocuments, stringify } from "yaml";
import { checkEntries } from "../../../cli/understand/doctor/check-entries";
import { openEntries } from "../../../lib/table/entries";
import { noLimit } from "../../time/no-limit";
import { documentedTriggers } from "../keda-settings/documented-fields";
import { tableForTests } from "../table";

const { run, register, file, table } = tableForTests();
beforeAll(() => register("prod"));

/** Fields that KEDA 2.21 takes from an authentication as well, of kinds that ebb reads and of others. */
const credentials = [
  ...["password", "passphrase", "keyPassword", "sentinelPassword", "token", "bearerToken", "accessToken", "authToken"],
  ...["personalAccessToken", "apiKey", "appKey", "queryKey", "accessKey", "secretKey", "cosmosDBKey", "key", "keytab"],
  ...["clientSecret", "appCredentialSecret", "connection", "connectionString", "storageConnection", "username"],
  ...["customAuthValue", "customHeaders", "GoogleApplicationCredentials", "awsSecretAccessKey", "awsSessionToken"],
];
const addresses = [
  "host",
  "url",
  "serverAddress",
  "address",
  "addresses",
  "endpoint",
  "bootstrapServers",
  "natsServerMonitoringEndpoint",
  "managementEndpoint",
  "serverURL",
];
const shapes: readonly ((canary: string) => string)[] = [
  (canary) => `https://me:${canary}@h.example:8080/x`,
  (canary) => `https://corp\\me:${canary}@h.example/x`,
  (canary) => `amqp://me:${canary}@h.example:5672//v`,
  (canary) => `https://:${canary}@h.example`,
  (canary) => `https://me:a/${canary}@h.example/x`,
  (canary) => `https://me:p@${canary}/x@h.example:8080/x`,
  (canary) => `me:${canary}@h.example:6379`,
  (canary) => `me:a@b/${canary}@h.example,me:${canary}@h2.example`,
  (canary) => `https://h.example/x?api_key=${canary}`,
  (canary) => `https://h.example/x?a=1&access_token=${canary}#f`,
  (canary) => `https://h.example/x?key=AIzaSyD9tSrke72PouQMnMX0a7eZSW0${canary}`,
  (canary) => `Endpoint=sb://h.example/;SharedAccessKey=${canary};Entity=q`,
  (canary) => `redis://me:${canary}@a.example:1,redis://me:${canary}@b.example:2`,
];
/** Only a kind that nothing reads can do without the path of an address, or a text. */
const shapesOfUnread: typeof shapes = [
  ...shapes,
  (canary) => `https://hooks.example/services/T0/B0/${canary}`,
  (canary) => `hooks.example/services/T0/B0/${canary}`,
  (canary) => `mq:8080/a, https://hooks.example/${canary}`,
  (canary) => `//hooks.example/${canary}`,
  (canary) => `https://h.example/x?key=${canary}`,
  (canary) => `https://h.example?${canary}`,
  (canary) => `HTTPS://[::1]:80/${canary}`,
  (canary) => `{"url": "https:\\/\\/h.example\\/${canary}"}`,
  (canary) => `{"token": "${canary}"}`,
  (canary) => `{\\"token\\": \\"${canary}\\"}`,
  (canary) => `Authorization: Bearer ${canary}`,
  (canary) => `Bearer ${canary}`,
  (canary) => `api_key=${canary}`,
  (canary) => `me:${canary}@tcp(db.example:3306)/x`,
  (canary) => `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----`,
];
const types: readonly Given[] = [
  ...documentedTriggers.flatMap((trigger) => trigger.types.map((type) => ({ type, metadata: trigger.metadata }))),
  ...["mysql", "mongodb", "mssql", "artemis-queue", "new-relic", "azure-servicebus", "external", "nats-jetstream"].map(
    (type): Given => ({ type, metadata: { queueName: "q" }, isUnread: true }),
  ),
];

interface Given {
  readonly type: string;
  readonly metadata: object;
  readonly isUnread?: boolean;
}

/** Of the type, with canaries in two fields. */
function objectOf(index: number, { type, metadata, isUnread = false }: Given = types[index % types.length]!) {
  const canary = `canary-${index}-x`;
  const name = credentials[index % credentials.length]!;
  const address = isUnread && index % 3 === 0 ? `setting${index}` : addresses[index % addresses.length]!;
  const forms = isUnread ? shapesOfUnread : shapes;
  const shaped = forms[index % forms.length]!(canary);
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: {
      name: `o-${index}`,
      namespace: "shop",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ canary }) },
    },
    spec: {
      scaleTargetRef: { name: `o-${index}` },
      triggers: [{ type, metadata: { ...metadata, [name]: canary, [address]: shaped } }],
    },
  };
}

test("a credential of a query is left out, and named", async () => {
  const metadata = { serverAddress: "https://p.example", query: "up", threshold: "1" };
  const queryParameters = "dedup=true,token=s3cret,X-Api-Key=s3cret";
  const object = {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { name: "web" },
      triggers: [{ type: "prometheus", metadata: { ...metadata, queryParameters } }],
    },
  };
  const { stdout, stderr } = await run(["import", "keda", await file(stringify(object))]);
  expect(stdout + stderr).not.toContain("s3cret");
  expect(stdout).toContain('dedup: "true"');
  expect(stderr).toContain("metadata.queryParameters is carried over without token, X-Api-Key: ebb sends a credential");
});

test("no credential of 500 ScaledObjects comes out anywhere", async () => {
  const path = await file(
    Array.from({ length: 500 }, (_, index) => stringify(objectOf(index))).join("---\n"),
    "scaledobjects.yaml",
  );
  const printed = await run(["import", "keda", path]);
  expect(printed.stdout).toContain("name: o-499\n");
  expect(`${printed.stdout}${printed.stderr}`).not.toContain("canary");

  const checked = await run(["validate", "--import-keda", "-f", path]);
  expect(`${checked.stdout}${checked.stderr}`).not.toContain("canary");
  const applied = await run(["import", "keda", path, "--cluster", "prod", "--apply"]);
  expect(`${applied.stdout}${applied.stderr}`).not.toContain("canary");
  const stored = await openEntries(table()).list("MetricSource", { cluster: "prod" }, noLimit());
  expect(JSON.stringify(stored)).not.toContain("canary");
});

test("each form of a credential, in each kind that nothing reads", async () => {
  const unread = types.filter(({ isUnread }) => isUnread);
  const objects = unread.flatMap((one, at) =>
    shapesOfUnread.map((_, shape) => objectOf(at * shapesOfUnread.length + shape, one)),
  );
  const path = await file(objects.map((one) => stringify(one)).join("---\n"), "unread.yaml");
  const { stdout, stderr } = await run(["import", "keda", path]);
  expect(stdout).toContain(`name: o-${objects.length - 1}\n`);
  expect(stdout + stderr).not.toContain("canary");
});

test("what an unread kind keeps", async () => {
  const metadata = { host: "https://h.example:8080", queueName: "shop/orders.eu", query: "SELECT 1.5/2", port: "80" };
  const webhook = "https://hooks.example/T0/B0/s3cret";
  const given = { ...objectOf(0, { type: "mysql", metadata: {} }) };
  const spec = { ...given.spec, triggers: [{ type: "mysql", metadata: { ...metadata, webhook } }] };
  const { stdout, stderr } = await run(["import", "keda", await file(stringify({ ...given, spec }))]);
  const [, source] = parseAllDocuments(stdout).map((one) => one.toJS() as { spec: { parameters: object } });
  expect(source?.spec.parameters).toEqual({ ...metadata, webhook: "https://hooks.example" });
  expect(stderr).toContain("metadata.webhook is carried over without the path and query of its address");
});

test.each([
  ["https://me:s3cret@h.example:9090", "its user and password"],
  ["https://h.example/x?api_key=s3cret", "api_key"],
  ["me:s3cret@h.example:9090", "its user and password"],
])("validate and apply refuse a source with %s, and doctor names a stored one", async (url, what) => {
  const source = { apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "p" } };
  const path = await file(stringify({ ...source, spec: { kind: "http", parameters: { url, path: "$.a" } } }));
  for (const verb of ["validate", "apply"]) {
    const { stderr } = await run([verb, "-f", path, ...(verb === "apply" ? ["--cluster", "prod"] : [])]);
    expect(stderr).toContain(`spec.parameters.url: expected a text without a credential, got ${what}`);
    expect(stderr).not.toContain("s3cret");
  }
  const stored = await openEntries(table()).list("MetricSource", { cluster: "prod" }, noLimit());
  expect(stored.map(({ ref }) => ref.name)).not.toContain("p");
  const value = { metadata: { name: "p" }, spec: { kind: "http", parameters: { url, path: "$.a" } } };
  const contents = { hpas: [], sources: [{ key: "p", value }], brokenStates: {} };
  const { findings } = checkEntries("prod", contents as unknown as Parameters<typeof checkEntries>[1], undefined);
  expect(findings).toMatchObject([{ what: "source p is valid", why: expect.stringContaining(what) as string }]);
});
