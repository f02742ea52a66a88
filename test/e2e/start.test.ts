import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { tableDefinition } from "../../lib/table/items/keys";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, drainWork, sendWork, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startMoto, type Emulator } from "./servers/emulator";
import { eventually } from "./servers/eventually";
import { deployment, deployments, specReplicas } from "./servers/workloads";

/**
 * `npm start` on your own cluster and queues: a kubeconfig, the AWS settings of the environment, an HPA in a file, and
 * nothing else.
 */
const hpa = (name: string) => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: ${name}
  namespace: default
  # moto counts exactly, unlike SQS.
  annotations: { ebb.dev/metric-rules: '{"sqs": {"confirm": 1}}' }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 0
  maxReplicas: 10
  metrics:
    - type: External
      external:
        metric: { name: sqs, selector: { matchLabels: { queue: ${name} } } }
        target: { type: AverageValue, averageValue: "5" }
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } }
`;

let apiServer: ApiServer;
let moto: Emulator;
let aws: AwsClients;
const directory = mkdtempSync(join(tmpdir(), "ebb-e2e-start-"));
const ending: (() => unknown)[] = [() => rmSync(directory, { recursive: true })];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  moto = await startMoto();
  ending.push(() => moto.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller"],
  });
  ending.push(() => controllers.stop());
  aws = awsClients(moto);
  ending.push(() => aws.destroy());
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

function ebb(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ["dist/ebb.js", "start", ...args], { env: { ...process.env, ...moto.env } });
  ending.push(() => child.kill("SIGKILL"));
  return child;
}

function collect(child: ChildProcess): string[] {
  const output: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  return output;
}

function untilReplicas(name: string, expected: number, output: readonly string[]): Promise<void> {
  return eventually(`${name} has ${expected} replicas; so far: ${output.join("")}`, async () => {
    expect(await specReplicas(apiServer, `${deployments}/${name}`)).toBe(expected);
  });
}

async function runs(name: string, where: readonly string[]): Promise<string> {
  await apiServer.admin.create(deployments, deployment(name, 1));
  await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  const file = join(directory, `${name}.yaml`);
  writeFileSync(file, hpa(name));
  const started = ebb("--kubeconfig", apiServer.kubeconfig, "--sync-period", "3", "--filename", file, ...where);
  const output = collect(started);
  await untilReplicas(name, 0, output);
  await sendWork(aws, name, 12);
  await untilReplicas(name, 3, output);
  await drainWork(aws, name);
  await untilReplicas(name, 0, output);
  started.kill("SIGINT");
  expect(await once(started, "exit")).toEqual([0, null]);
  return output.join("");
}

test("with its table on disk, a Deployment goes 1 → 0 → 3 → 0, and `ebb get hpa` shows it afterwards", async () => {
  const own = join(directory, "disk");
  const output = await runs("orders", ["--directory", own]);
  const scalings = output.split("\n").filter((line) => line.includes(" → "));
  expect(
    scalings.map((line) =>
      line
        .replace(/^\S+ {2}/, "")
        .split("  ")
        .slice(0, 3),
    ),
  ).toEqual([
    ["default/Deployment/orders", "1 → 0", "All metrics below target"],
    ["default/Deployment/orders", "0 → 3", "external metric sqs(queue=orders) above target"],
    ["default/Deployment/orders", "3 → 0", "All metrics below target"],
  ]);
  const got = spawnSync(process.execPath, ["dist/ebb.js", "get", "hpa", "--directory", own], { encoding: "utf8" });
  expect(got.stdout).toMatch(/^orders +Deployment\/orders +0\/5 \(avg\) +0 +10 +\d/m);
});

test("with its table in DynamoDB", async () => {
  await aws.dynamo.send(new CreateTableCommand(tableDefinition("ebb-e2e")));
  await runs("mails", ["--directory", join(directory, "dynamodb"), "--table", "ebb-e2e"]);
  const { Items = [] } = await aws.dynamo.send(new ScanCommand({ TableName: "ebb-e2e" }));
  expect(Items.map(({ sk }) => sk?.S)).toEqual(
    expect.arrayContaining(["CLUSTER", "HPA#default/mails", "STATE#default/mails"]),
  );
});

test("a table that is not there is said at once, with what to do", async () => {
  const started = ebb("--kubeconfig", apiServer.kubeconfig, "--table", "nowhere");
  const output = collect(started);
  expect(await once(started, "exit")).toEqual([1, null]);
  expect(output.join("")).toContain('error: table "nowhere"');
});

test("a file with a bad HPA puts nothing, and names the field", async () => {
  const file = join(directory, "bad.yaml");
  writeFileSync(file, hpa("bad").replace("maxReplicas: 10", "maxReplicas: 0"));
  const started = ebb("--kubeconfig", apiServer.kubeconfig, "--directory", join(directory, "bad"), "--filename", file);
  const output = collect(started);
  expect(await once(started, "exit")).toEqual([1, null]);
  expect(output.join("")).toContain("bad.yaml:12:3: ");
  expect(output.join("")).toContain("spec.maxReplicas");
});
