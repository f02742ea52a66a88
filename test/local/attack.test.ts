import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { putCluster, putHpa } from "../../local/entries";
import { demoBackends, type Backends } from "../../local/backends";
import { demoCluster } from "../../local/stored-tables";
import { lineReporter } from "../../local/line-reporter";
import { type Local, startLocal } from "../../local/start";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { toItem } from "../../lib/table/items/attributes";
import { getItem } from "../../lib/table/get-items";
import { clusterKey } from "../../lib/table/items/keys";
import { openStore } from "../../lib/table/store";
import { base64, makeCertificates } from "../cluster/certificates";
import { hpaWith } from "../core/build";
import { noLimit } from "../time/no-limit";
import { until } from "../time/until";

/**
 * What a web page in the user's browser, or another user of the machine, tries on a running `ebb start`: to register a
 * cluster whose kubeconfig runs a command, and one that sends the user's token to the attacker.
 */
let directory: string;
let embedded: EmbeddedTable;
let backends: Backends;
let local: Local;
let lines: string[];
let attacker: Server;
let received: string[];
let ca: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-attack-"));
  const certificates = await makeCertificates();
  [lines, received, ca] = [[], [], base64(certificates.ca)];
  attacker = createServer(certificates.server, ({ url = "", headers }, response) => {
    received.push(`${url} ${headers.authorization ?? ""}`);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  embedded = await openEmbeddedTable({ directory: join(directory, "table") });
  backends = await demoBackends({ client: embedded.client, name: embedded.table }, directory);
  const { client, table: name, watch } = embedded;
  const reporter = lineReporter((line) => lines.push(line));
  local = startLocal({ client, name, watch }, backends, reporter);
  // The official client takes seconds to load.
  await import("../../lib/cluster/auth/kubeconfig-auth");
}, 120_000);
afterAll(async () => {
  await local.stop();
  await backends.close();
  await embedded.close();
  await new Promise((resolve) => attacker.close(resolve));
  await rm(directory, { recursive: true });
});

const table = () => ({ client: embedded.client, name: embedded.table });
const canary = () => join(directory, "canary");
const attackersPlace = () => `https://127.0.0.1:${(attacker.address() as AddressInfo).port}`;

function post(item: object, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(embedded.endpoint, { method: "POST", headers, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ TableName: embedded.table, Item: toItem(item) }));
  });
}

/** The user's own kubeconfig as another place would have it: with a plugin that leaves a canary. */
async function plantedKubeconfig(): Promise<string> {
  const args = ["-e", `require("fs").writeFileSync(${JSON.stringify(canary())}, "")`];
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args };
  const file = join(directory, "planted");
  await writeFile(
    file,
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: attackersPlace(), "certificate-authority-data": ca } }],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
  return file;
}

const runsACommand = async () => ({ auth: { type: "kubeconfig", file: await plantedKubeconfig() } }) as const;
const sendsTheToken = () => ({
  endpoint: attackersPlace(),
  certificateAuthorityData: ca,
  auth: { type: "kubeconfig", file: backends.kubeconfig.file } as const,
});

test("two POSTs of a web page register nothing", async () => {
  const item = { pk: "CLUSTER#evil", sk: "CLUSTER", spec: await runsACommand() };
  const signature = `AWS4-HMAC-SHA256 Credential=a/b/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=c`;
  const common = { origin: "https://evil.example", "x-amz-target": "DynamoDB_20120810.PutItem" };
  const form = { ...common, "content-type": "application/x-amz-json-1.0", authorization: signature };
  expect(await post(item, form)).toBe(403);
  expect(await post(item, { origin: "https://evil.example", "content-type": "text/plain" })).toBe(403);
  const { origin: _origin, ...withoutOrigin } = form;
  expect(await post(item, withoutOrigin)).toBe(400);
  expect(await post(item, { ...withoutOrigin, host: "evil.example" })).toBe(403);
  expect(await getItem(table(), clusterKey("evil"))).toBeUndefined();
});

test("even entries that are in the table run no command, and send the user's token nowhere", async () => {
  const { client, table: name } = embedded;
  await putCluster(table(), "command", await runsACommand());
  await putCluster(table(), "token", sendsTheToken());
  const context = { auth: { type: "kubeconfig", file: backends.kubeconfig.file, context: "other" } } as const;
  await putCluster(table(), "context", context);
  // By hand, past every check of ebb's own.
  const linked = { auth: { type: "kubeconfig", file: `${directory}/../${directory.split("/").at(-1)}/planted` } };
  await client.send(
    new PutItemCommand({ TableName: name, Item: toItem({ ...clusterKey("linked"), spec: linked, kind: "Cluster" }) }),
  );
  const clusters = ["command", "token", "context", "linked"];
  for (const cluster of clusters) await putHpa(table(), cluster, hpaWith());
  // Each is synced by its wake, and by its slots.
  const store = openStore({ client, table: name, now: () => Date.now() });
  const outcomeOf = async (cluster: string): Promise<string> => {
    const { states } = await store.load({ cluster, from: "", to: null }, noLimit());
    return JSON.stringify(states);
  };
  const isRefused = async (cluster: string) =>
    /expected the kubeconfig that this run was started with|expected nothing, or the same as in the kubeconfig of auth.file/.test(
      (await outcomeOf(cluster)) + lines.filter((line) => line.includes(`cluster ${cluster}`)).join("\n"),
    );
  for (const cluster of clusters) await until(() => isRefused(cluster));

  await expect(access(canary())).rejects.toThrow("ENOENT");
  expect(received).toEqual([]);
  expect(await readFile(backends.kubeconfig.file, "utf8")).toContain("token");
}, 60_000);

test("the run's own cluster keeps working beside them", async () => {
  const store = openStore({ client: embedded.client, table: embedded.table, now: () => Date.now() });
  const hasRead = async () => {
    const { states } = await store.load({ cluster: demoCluster, from: "", to: null }, noLimit());
    return Object.keys(states).length > 0;
  };
  await until(hasRead);
}, 60_000);
