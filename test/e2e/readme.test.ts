import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { boundSecret } from "../cluster/connect";
import { buildCommand, type BuiltCommand } from "../how-to/build-command";
import { readPage } from "../how-to/page";
import { runScript } from "../how-to/run-script";
import { sendWork } from "./servers/aws";
import { allowClusterHost, startDeployable, type Deployable } from "./servers/deployable";
import { eventually } from "./servers/eventually";
import { installed } from "./servers/installed";

/** The commands of README.md's section "Deploy", typed in their order, on an emulator and a real API server. */
const clone = resolve(__dirname, "../..");
const consumer = "order-worker";

/** The first minute of the schedule, and the slots of the minute after it. */
const firstSyncMs = 240_000;

const section = /^## Deploy\n(.*?)^## /ms.exec(readFileSync(join(clone, "README.md"), "utf8"))?.[1] ?? "";
const scripts = readPage(section).flatMap((step) => (step.kind === "run" ? [step.script] : []));
/** The commands that begin so, without what their comments say. */
const typed = (...starts: readonly string[]) =>
  scripts
    .flatMap((script) => script.trim().split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""))
    .filter((line) => starts.some((start) => line.startsWith(start)));

/** For the `aws` that `ebb init` says to type: it creates a secret, of a file, on the emulator. */
const awsCommand = `#!${process.execPath}
const [service, action, ...args] = process.argv.slice(2);
if (service !== "secretsmanager" || action !== "create-secret") throw new Error("not expected here: " + process.argv);
const given = (name) => args[args.indexOf(name) + 1];
const text = require("node:fs").readFileSync(given("--secret-string").replace(/^file:\\/\\//, ""), "utf8");
const scope = "test/20260101/" + process.env.AWS_REGION + "/secretsmanager/aws4_request";
void fetch(process.env.AWS_ENDPOINT_URL, {
  method: "POST",
  headers: {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "secretsmanager.CreateSecret",
    authorization: "AWS4-HMAC-SHA256 Credential=" + scope + ", SignedHeaders=host, Signature=none",
  },
  body: JSON.stringify({ Name: given("--name"), SecretString: text, ClientRequestToken: crypto.randomUUID() }),
}).then(async (answer) => {
  console.log(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
});
`;

let among: Deployable;
let built: BuiltCommand;
const home = mkdtempSync(join(tmpdir(), "ebb-e2e-readme-"));
const work = join(home, "entries");
const bin = join(home, "bin");
/** What the reader has exported so far. */
const exported: string[] = [];

beforeAll(async () => {
  built = buildCommand();
  [work, bin].forEach((folder) => mkdirSync(folder));
  symlinkSync(built.command, join(bin, "ebb"));
  writeFileSync(join(bin, "aws"), awsCommand);
  chmodSync(join(bin, "aws"), 0o755);
  among = await startDeployable({ consumer, queue: "orders" }, ["deployment-controller", "replicaset-controller"]);
  writeFileSync(join(home, "kubeconfig"), await kubeconfig(), { mode: 0o600 });
}, 180_000);

afterAll(async () => {
  await among.stop();
  rmSync(home, { recursive: true });
});

/** Of a person who administers the cluster with a client certificate. */
async function kubeconfig(): Promise<string> {
  const { endpoint, certificateAuthorityData } = among.apiServer;
  const { cert, key } = await among.apiServer.clientCertificate("admin", "system:masters");
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "elsewhere",
    clusters: [{ name: "c", cluster: { server: endpoint, "certificate-authority-data": certificateAuthorityData } }],
    users: [{ name: "u", user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) } }],
    contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
  });
}

/** Types a command in a shell that has what was exported, and returns all that it printed. */
async function type(command: string, cwd = work): Promise<string> {
  // The region is what README.md says, not what the emulator's environment does.
  const { AWS_REGION: _region, AWS_DEFAULT_REGION: _default, ...emulator } = among.ministack.env;
  const env = {
    ...emulator,
    HOME: home,
    PATH: [bin, dirname(installed().kubectl), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    KUBECONFIG: join(home, "kubeconfig"),
    CI: "true",
    SLS_INTERACTIVE_SETUP_ENABLE: "",
    TZ: "UTC",
  };
  const { got, status } = await runScript([...exported, command].join("\n"), { cwd, env, timeout: 200_000 });
  if (status !== 0) throw new Error(`${command}: ended with ${status}\n${got}`);
  // The AWS SDK's, on a Node that ebb supports.
  expect(got).not.toContain("NodeVersionSupportWarning");
  return got;
}

test("npm run deploy makes the table that the next commands name", async () => {
  const [deploy = "", ...others] = typed("npm run deploy");
  expect(others).toEqual([]);
  const said = await type([deploy, ...allowClusterHost].join(" "), clone);
  const { TableNames } = await among.aws.dynamo.send(new ListTablesCommand({}));
  exported.push(...typed("export"));
  expect(said).toContain(`table: ${TableNames?.join()}\n`);
  expect(said.split("\n").map((line) => line.trim())).toContain(exported.join("\n"));
}, 300_000);

test("ebb init says how to let ebb in", async () => {
  const [init = "", ...others] = typed("ebb init");
  expect(others).toEqual([]);
  const said = await type(init);
  expect(said).toContain("Make a client certificate for a user of the group (O) ebb");
  const { cert: certificate, key } = await among.apiServer.clientCertificate("anybody", "ebb");
  writeFileSync(join(work, "secret.json"), boundSecret(among.apiServer, { certificate, key }));
  await type(/: (aws secretsmanager create-secret .*)$/m.exec(said)?.[1] ?? "false");
});

test("apply and rbac, in README.md's order, are all that the cluster and the HPA need", async () => {
  const commands = typed("ebb apply", "ebb rbac");
  expect(commands.map((command) => command.split(" ")[1])).toEqual(["apply", "apply", "rbac"]);
  for (const command of commands) await type(command);
  await sendWork(among.aws, "orders", 12);
  await among.untilReplicas(3, firstSyncMs);
}, 300_000);

test("doctor, get and explain say so", async () => {
  const [doctor = "", get = "", explain = "", ...others] = typed("ebb doctor", "ebb get", "ebb explain");
  expect(others).toEqual([]);
  await eventually(
    "all is well, also the shard that the first tick makes",
    async () => expect(await type(doctor)).toMatch(/\nAll is well\.\n$/),
    firstSyncMs,
  );
  await eventually("they show what the scaling has read", async () => {
    expect(await type(get)).toMatch(/^order-worker +Deployment\/order-worker +\S+\/5 \(avg\) +0 +20 +3 /m);
    expect(await type(explain)).toMatch(/ sqs\(queue=orders\) +12 in all/);
  });
}, 300_000);

test("delete and npm run remove leave nothing of ebb", async () => {
  const [remove = "", destroy = "", ...others] = typed("ebb delete", "npm run remove");
  expect(others).toEqual([]);
  expect(await type(remove)).toContain('cluster.ebb.dev "prod" deleted');
  await type(destroy, clone);
  expect((await among.aws.dynamo.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const { QueueUrls = [] } = await among.aws.sqs.send(new ListQueuesCommand({}));
  expect(QueueUrls.map((url) => url.split("/").at(-1))).toEqual(["orders"]);
}, 200_000);

test("no command of the section is left out", () => {
  const known = ["npm run deploy", "export", "ebb init", "ebb apply", "ebb rbac", "ebb doctor", "ebb get"];
  const rest = ["npm ci", "ebb explain", "ebb delete", "npm run remove"];
  expect(typed("")).toEqual(typed(...known, ...rest));
});
