import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ScanCommand } from "../../lib/aws/http/dynamodb-commands";
import type { Context, SQSEvent } from "aws-lambda";
import { openAwsClients, openConnections, storeOn, syncPorts } from "../../compose";
import { syncHandler } from "../../functions/sync";
import { onThisMachine } from "../../lib/net/address";
import { fromItem } from "../../lib/table/items/attributes";
import type { ClusterAuth, ClusterSpec } from "../../lib/model/entry/entries";
import type { State } from "../../lib/model/stored/state";
import { encodeQueueMessage } from "../../lib/model/messages";
import { openReporter } from "../../functions/reporter";
import { putCluster, putHpa } from "../../local/entries";
import {
  aggregated,
  core,
  json,
  scale,
  startServer,
  status,
  type Received,
  type Reply,
  type TestServer,
} from "../cluster/api-server";
import { base64, makeCertificates } from "../cluster/certificates";
import { hpaWith } from "../core/build";
import { ebb } from "../cli/run-ebb";
import { shard } from "../cli/explain/explained";
import { servedTableForTests } from "../cli/table";
import { canary, canariesIn } from "./canary";
import { planted } from "./watch-writes";
import { noLimit } from "../time/no-limit";

/**
 * Secrets are planted in every place that they can come from, and every backend answers in the way that repeats most.
 * Then nothing that ebb wrote (logs, the table, the command's output) contains one.
 */
jest.setTimeout(180_000);
const { table, folder, byHand } = servedTableForTests();
const before = { ...process.env };
const slot = Date.parse("2026-03-01T12:00:00Z");
const secrets: Record<string, string> = {};
/** Each cluster, and what its HPAs' messages must say: otherwise its planted secret was never reached. */
const clusters: Record<string, { readonly spec: ClusterSpec; readonly says: RegExp }> = {};
const written: string[] = [];
let aws: TestServer;
let api: TestServer;

/** Repeats the whole request, as AWS does for a signature that it refuses. */
const repeat = ({ headers, url, body }: Received) => `${url} ${JSON.stringify(headers)} ${body}`;

const awsReply: Reply = (request, response) => {
  const { SecretId, Name } = (request.body.startsWith("{") ? JSON.parse(request.body) : {}) as Record<string, string>;
  const text = secrets[SecretId ?? `ssm:${Name}`];
  if (text === "refused" || text === undefined)
    return json(
      response,
      403,
      { __type: "InvalidSignatureException", message: `The canonical string was ${repeat(request)}` },
      { "x-amzn-errortype": "InvalidSignatureException" },
    );
  if (text === "cut off") return void response.end(`{"SecretString":"${canary("answer-that-is-cut")}`);
  json(response, 200, Name === undefined ? { SecretString: text } : { Parameter: { Value: text } });
};

/** The first part of the path says how the server answers. */
const apiReply: Reply = (request, response) => {
  const [, manner = "", ...rest] = request.url.split("/");
  const path = `/${rest.join("/")}`;
  const authorization = request.headers.authorization ?? "";
  if (path === "/apis") return json(response, 200, aggregated);
  if (path === "/api/v1") return json(response, 200, core);
  switch (manner) {
    case "healthy":
      return json(response, 200, scale(3));
    case "status":
      return json(response, 403, status(403, "Forbidden", `who is ${authorization}?`));
    case "html":
      return void response
        .writeHead(500, { "content-type": `text/html; x=${authorization}` })
        .end(`<p>${repeat(request)}</p>`);
    case "redirect":
      return void response.writeHead(302, { location: `https://login.example/?back=${authorization}` }).end();
    case "other":
      return json(response, 200, { kind: authorization, message: repeat(request) });
    case "text":
      return void response.writeHead(200, { "content-encoding": "gzip" }).end(repeat(request));
    default:
      return json(response, 401, status(401, "Unauthorized", repeat(request)));
  }
};

function plant(name: string, auth: (secret: string) => ClusterAuth, text: string, says: RegExp): void {
  secrets[`ebb/${name}`] = text;
  secrets[`ssm:/ebb/${name}`] = text;
  clusters[name] = {
    spec: { endpoint: api.url, certificateAuthorityData: authority, auth: auth(`ebb/${name}`) },
    says,
  };
}

/** The same for a token that the server gets, which answers in this manner. */
function plantAt(manner: string, name: string, credential: object, says: RegExp): void {
  const endpoint = `${api.url}/${manner}`;
  plant(name, token, JSON.stringify({ endpoint, certificateAuthorityData: authority, ...credential }), says);
  const { spec } = clusters[name]!;
  clusters[name] = { spec: { ...spec, endpoint }, says };
}

let authority = "";
const token = (secret: string): ClusterAuth => ({ type: "token", secret });
const certificate = (secret: string): ClusterAuth => ({ type: "clientCertificate", secret });
const kubeconfig = (secret: string): ClusterAuth => ({ type: "kubeconfig", secret });

const kubeconfigText = (cluster: object, user: object, rest: object = {}) =>
  JSON.stringify({
    "current-context": canary("context"),
    clusters: [
      { name: canary("cluster"), cluster: { server: api.url, "certificate-authority-data": authority, ...cluster } },
    ],
    users: [{ name: canary("user"), user }],
    contexts: [{ name: canary("context"), context: { cluster: canary("cluster"), user: canary("user") } }],
    ...rest,
  });

function plantSecrets(): void {
  const bound = (credential: object, endpoint = api.url) =>
    JSON.stringify({ endpoint, certificateAuthorityData: authority, ...credential });
  plant("bare", token, canary("bare-token"), /got no JSON object/);
  plant("bare-parameter", (name) => token(`ssm:/${name}`), canary("parameter"), /got no JSON object/);
  plant("cut", token, `{"endpoint": "${canary("cut-json")}`, /got no JSON object/);
  plant("address", token, bound({ token: "t" }, `https://u:${canary("url-password")}@host`), /without a user name/);
  plant("no-address", token, bound({ token: "t" }, canary("no-url")), /expected https/);
  plant("ca", token, bound({ token: "t", certificateAuthorityData: canary("ca") }), /base64 of a PEM/);
  plant("lines", token, bound({ token: `${canary("token-of")}\n${canary("two-lines")}` }), /expected "token"/);
  plant("other", token, bound({ token: canary("token"), tlsServerName: canary("name") }), /spec\.tlsServerName/);
  plant("pem", certificate, bound({ certificate: `-----BEGIN ${canary("pem")}`, key: canary("key") }), /in PEM/);
  plant(
    "no-pem",
    certificate,
    bound({ certificate: canary("certificate"), key: canary("key") }),
    /expected "certificate"/,
  );
  plant("refused", token, "refused", /InvalidSignatureException/);
  plant("cut-off", token, "cut off", /SyntaxError/);

  for (const manner of ["status", "html", "redirect", "other", "text", "refusal"]) {
    plantAt(manner, `echo-${manner}`, { token: canary(`token-${manner}`) }, /./);
  }

  plantAt("healthy", "queue", { token: "t0k3n" }, /credentials not accepted for sqs:/);

  plant(
    "yaml",
    kubeconfig,
    `users:\n- user: {token: ${canary("yaml-token")}\n  ${canary("yaml")}: [`,
    /invalid YAML \(\w+ at line/,
  );
  plant("alias", kubeconfig, `users: *${canary("alias")}`, /invalid YAML/);
  plant("word", kubeconfig, canary("word"), /expected a document/);
  plant("forms", kubeconfig, JSON.stringify({ clusters: [{ name: canary("no-cluster") }] }), /is missing/);
  plant("numbers", kubeconfig, kubeconfigText({ server: [canary("server-list")] }, {}), /cannot read/);
  plant("context", kubeconfig, kubeconfigText({}, {}, { contexts: [] }), /expected its current-context/);
  plant("dangling", kubeconfig, kubeconfigText({}, {}, { clusters: [] }), /expected the cluster that it names/);
  plant("proxy", kubeconfig, kubeconfigText({ "proxy-url": `http://u:${canary("proxy")}@p` }, {}), /proxy-url/);
  plant("insecure", kubeconfig, kubeconfigText({ "insecure-skip-tls-verify": true }, {}), /insecure/);
  plant("server", kubeconfig, kubeconfigText({ server: `https://u:${canary("server")}@host` }, {}), /without a user/);
  plant("no-server", kubeconfig, kubeconfigText({ server: canary("no-server") }, {}), /expected https/);
  plant(
    "ca-file",
    kubeconfig,
    kubeconfigText({ "certificate-authority": `/${canary("ca-file")}` }, {}),
    /certificate-authority/,
  );
  const run = (code: string) => ({
    exec: {
      command: process.execPath,
      args: ["-e", code, canary("argument")],
      env: [{ name: "X", value: canary("env") }],
    },
  });
  const print = (stream: string, exit: number) =>
    run(`console.${stream}(${JSON.stringify(canary(`exec-${stream}`))}); process.exitCode = ${exit}`);
  plant("exec-failed", kubeconfig, kubeconfigText({}, print("error", 1)), /exec/);
  plant("exec-odd", kubeconfig, kubeconfigText({}, print("log", 0)), /exec/);
  plant("exec-none", kubeconfig, kubeconfigText({}, { exec: { command: `/${canary("command")}` } }), /ENOENT|exec/);
  plant("token-file", kubeconfig, kubeconfigText({}, { tokenFile: `/${canary("token-file")}` }), /ENOENT|token/i);
  plant("basic", kubeconfig, kubeconfigText({}, { username: "u", password: canary("password") }), /\[redacted\]|./);

  clusters["eks"] = {
    spec: {
      endpoint: api.url,
      certificateAuthorityData: authority,
      auth: { type: "eks", clusterName: "eks", region: "eu-central-1" },
    },
    says: /credentials not accepted for eks:DescribeCluster/,
  };
  clusters["role"] = {
    spec: {
      endpoint: api.url,
      certificateAuthorityData: authority,
      auth: {
        type: "eks",
        clusterName: "role",
        region: "eu-central-1",
        roleArn: "arn:aws:iam::123456789012:role/ebb-a",
      },
    },
    says: /expected AWS credentials/,
  };
}

beforeAll(async () => {
  // Files of the user, and the entry of the cluster "bad". The test looks at the rest of the table itself.
  planted(folder());
  const certificates = await makeCertificates();
  authority = base64(certificates.ca);
  aws = await startServer(awsReply);
  api = await startServer(apiReply, certificates.server);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AKIDOFTHETEST",
    AWS_SECRET_ACCESS_KEY: canary("aws-secret-key"),
    AWS_SESSION_TOKEN: canary("aws-session-token"),
    POWERTOOLS_DEV: "true",
  });
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    jest
      .spyOn(console, method)
      .mockImplementation((...line: unknown[]) => void written.push(line.map(String).join(" ")));
  plantSecrets();
});
afterAll(async () => {
  jest.restoreAllMocks();
  process.env = { ...before };
  await Promise.all([aws.stop(), api.stop()]);
});

/** A slot's time is real here, and dozens of clusters share one process: 15 s are too few on a busy machine. */
const periodMs = 60_000;

/** Two slots of every cluster, through the function's handler with its real ends. */
async function sync(): Promise<void> {
  const reporter = openReporter();
  const clients = openAwsClients();
  let at = slot;
  const now = () => at;
  const store = storeOn(table(), { now, onBrokenShard: (message) => reporter.warned(message) });
  const connections = openConnections({ clients, now, addresses: onThisMachine });
  const queue = { client: clients.sqs(), queueUrl: "https://sqs.eu-central-1.amazonaws.com/123456789012/slots" };
  const handle = syncHandler({
    ports: syncPorts({ store, connections, reporter }),
    ...{ reporter, queue, now, workedMs: () => 0 },
  });
  for (const cluster of Object.keys(clusters))
    await store.createShard(
      { ...shard, cluster, version: 1, slot: slot - periodMs, heartbeat: slot - periodMs },
      noLimit(),
    );
  for (const round of [0, 1]) {
    at = slot + round * periodMs;
    const Records = Object.keys(clusters).map((cluster, id) => ({
      messageId: `m${id}`,
      receiptHandle: `r${id}`,
      body: encodeQueueMessage({ cluster, from: "", slot: at, until: at + periodMs }),
    }));
    const context = { awsRequestId: "r", getRemainingTimeInMillis: () => 2 * periodMs } as unknown as Context;
    await handle({ Records } as SQSEvent, context);
  }
  connections.close();
}

async function items(): Promise<readonly Record<string, unknown>[]> {
  const { Items = [] } = await table().client.send(new ScanCommand({ TableName: table().name }));
  return Items.map((item) => fromItem(item));
}

test("nothing of a secret is in logs, in the table, or in what the command prints", async () => {
  const queues = [
    {
      type: "External",
      external: {
        metric: { name: "sqs", selector: { matchLabels: { queue: "q" } } },
        target: { type: "AverageValue", averageValue: "5" },
      },
    },
  ] as never;
  for (const [name, { spec }] of Object.entries(clusters)) {
    await putCluster(table(), name, spec);
    await putHpa(table(), name, hpaWith({}));
    await putHpa(table(), name, { ...hpaWith({ metrics: queues }), metadata: { name: "queue", namespace: "default" } });
  }
  const secretUrl = `https://u:${canary("entry-url")}@host`;
  await byHand({ pk: "CLUSTER#bad", sk: "CLUSTER", spec: { endpoint: secretUrl, auth: token("ebb/bad") } });
  await sync();

  const directory = ["--directory", folder()];
  const malformed = join(folder(), "malformed");
  await writeFile(malformed, `users:\n- user: {token: ${canary("file-token")}\n  ${canary("file")}: [`);
  const plugin = `${process.execPath} -e 'console.error("${canary("credential-process")}"); process.exit(1)'`;
  await writeFile(join(folder(), "aws-config"), `[profile p]\nregion = eu-central-1\ncredential_process = ${plugin}\n`);
  const lines: readonly (readonly string[])[] = [
    ["get", "clusters"],
    ["get", "hpa", "-A", "--cluster", "bare"],
    ["status", ...directory],
    ["init", join(folder(), "new"), "--kubeconfig", malformed],
    ...["bare", "yaml", "echo-status", "exec-failed", "role"].flatMap((cluster) => [
      ["doctor", cluster, ...directory],
      ["describe", "cluster", cluster],
      ["get", "hpa", "-o", "yaml", "--cluster", cluster],
      ["describe", "hpa", "--cluster", cluster],
    ]),
  ];
  for (const line of lines) {
    const { stdout, stderr } = await ebb(line, { table: table() });
    written.push(stdout, stderr);
  }
  process.env["AWS_CONFIG_FILE"] = join(folder(), "aws-config");
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) delete process.env[name];
  const { stdout } = await ebb(["doctor", "eks", ...directory, "--profile", "p"], { table: table() });
  expect(stdout).toMatch(/expected AWS credentials: CredentialsProviderError/);
  written.push(stdout);

  const all = await items();
  const own = all.filter(({ pk, sk }) => !(pk === "CLUSTER#bad" && sk === "CLUSTER"));
  expect(canariesIn(JSON.stringify(own))).toEqual([]);
  expect(written.flatMap(canariesIn)).toEqual([]);

  // Every planted secret was reached: its cluster's HPA says what is wrong.
  for (const [name, { says }] of Object.entries(clusters)) {
    const states = own.filter(({ pk, sk }) => pk === `CLUSTER#${name}` && String(sk).startsWith("STATE#"));
    const messages = (states as unknown as State[]).flatMap(({ warnings = [] }) =>
      warnings.map(({ message }) => message),
    );
    expect([name, messages.join("; ")]).toEqual([name, expect.stringMatching(says)]);
  }
  expect(aws.received.some((request) => repeat(request).includes(canary("aws-session-token")))).toBe(true);
  expect(api.received.some(({ headers }) => headers.authorization?.includes(canary("token-status")))).toBe(true);
});
