import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { CreateTableCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { toItem } from "../../lib/table/items/attributes";
import { tableDefinition } from "../../lib/table/items/keys";
import { version } from "../../package.json";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { installAsKrew, packArchive } from "./servers/archive";
import { awsClients, type AwsClients } from "./servers/aws";
import { startMoto, type Emulator } from "./servers/emulator";
import { installed } from "./servers/installed";

/**
 * The same objects in a real API server and in the table: the real kubectl, ebb through kubectl, and JSONPath in both.
 */
const hpas = ["orders", "web"].map((name, index) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name,
    namespace: "default",
    labels: { app: name, "app-name": name },
    annotations: { "ebb.dev/paused": "true" },
  },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 1 + index,
    maxReplicas: 3 + 7 * index,
    behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
  },
}));

const folder = mkdtempSync(join(tmpdir(), "ebb-plugin-"));
const bin = join(folder, "bin");
let apiServer: ApiServer;
let moto: Emulator;
let aws: AwsClients;

beforeAll(async () => {
  [apiServer, moto] = await Promise.all([startApiServer(), startMoto()]);
  aws = awsClients(moto);
  const table = "ebb-plugin";
  await aws.dynamo.send(new CreateTableCommand(tableDefinition(table)));
  const spec = { endpoint: apiServer.endpoint, auth: { type: "token", secret: "s" } };
  const items: readonly object[] = [
    { pk: "CLUSTER#prod", sk: "CLUSTER", spec },
    ...(await Promise.all(hpas.map(create))),
  ];
  for (const item of items) await aws.dynamo.send(new PutItemCommand({ TableName: table, Item: toItem(item) }));
  // krew links the plugin alone; its completion is linked by hand.
  const plugin = installAsKrew(packArchive(folder), folder, bin);
  symlinkSync(plugin, join(bin, "kubectl_complete-ebb"));
});

afterAll(async () => {
  aws.destroy();
  await Promise.all([apiServer.stop(), moto.stop()]);
  rmSync(folder, { recursive: true });
});

/** Creates an HPA in the API server; the entry is the object as it serves it. */
async function create(hpa: (typeof hpas)[number]): Promise<object> {
  await apiServer.admin.create("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", hpa);
  const served = JSON.parse(await kubectl("get", "hpa", hpa.metadata.name, "-o", "json")) as object;
  return { pk: "CLUSTER#prod", sk: `HPA#default/${hpa.metadata.name}`, ...served };
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    ...moto.env,
    PATH: [bin, process.env["PATH"]].join(delimiter),
    KUBECONFIG: apiServer.kubeconfig,
    EBB_TABLE: "ebb-plugin",
    EBB_CONFIG: "/nowhere",
  };
  return (await promisify(execFile)(installed().kubectl, args, { env })).stdout;
}

/** Without the age, and without the widths of columns. */
const cells = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/).slice(0, -1));

test("kubectl ebb get hpa prints what kubectl get hpa prints, and that imported HPAs are paused", async () => {
  const printed = await kubectl("ebb", "get", "hpa");
  expect(printed.match(/ <paused> /g)).toHaveLength(2);
  expect(cells(printed.replaceAll("<paused> ", ""))).toEqual(cells(await kubectl("get", "hpa")));
  expect(await kubectl("ebb", "get", "hpa", "-o", "yaml")).toBe(await kubectl("get", "hpa", "-o", "yaml"));
  expect(await kubectl("ebb", "describe", "hpa")).toBe(await kubectl("describe", "hpa"));
});

test("the packed archive, installed as krew does, is kubectl ebb", async () => {
  expect(await kubectl("plugin", "list")).toContain(join(bin, "kubectl-ebb"));
  expect(await kubectl("ebb", "--version")).toBe(`${version}\n`);
  expect(await kubectl("ebb", "--help")).toContain("Usage: kubectl ebb ");
});

test("help and completion go by the plugin's name", async () => {
  expect(await kubectl("ebb", "get", "--help")).toContain("Usage: kubectl ebb get");
  expect(await kubectl("__complete", "ebb", "get", "hpa", "w")).toMatch(/^web\t?\n:4\n$/);
});

test.each([
  "{.items[*].metadata.name}",
  "{$.items[*].metadata.name}",
  "{.items[0].metadata.name}",
  "{.items[-1].metadata.name}",
  "{.items[0:1].metadata.name}",
  "{.items[0,1].spec.maxReplicas}",
  "{.items[*].metadata.labels.app-name}",
  "{.items[*].metadata.annotations.ebb\\.dev/paused}",
  "{.items[*].metadata.annotations['ebb\\.dev/paused']}",
  '{range .items[*]}{.metadata.name}{"\\t"}{.spec.maxReplicas}{"\\n"}{end}',
  "{range .items[*]}{.metadata.name}{'\\n'}{end}",
  "{range .items[*]}[{range .spec.metrics[*]}{.type},{end}]{end}",
  '{.items[?(@.metadata.name=="web")].spec.maxReplicas}',
  "{.items[?(@.spec.maxReplicas>5)].metadata.name}",
  "{.items[?(@.spec.minReplicas)].metadata.name}",
  '{.items[*].spec.metrics[?(@.type=="Resource")].resource.name}',
  "{.items[0].metadata.labels}",
  "{.items[0].spec}",
  "{.items[0].spec['maxReplicas','minReplicas']}",
  "{.items[*].spec.none}",
  "{.items[*].status.currentMetrics}",
  "{.items[0].status}",
  "{.kind}",
  "name: {.items[0].metadata.name}!",
  "plain",
])("-o jsonpath=%s", async (template) => {
  const output = `jsonpath=${template}`;
  expect(await kubectl("ebb", "get", "hpa", "-o", output)).toBe(await kubectl("get", "hpa", "-o", output));
});
