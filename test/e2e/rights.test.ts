import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DeleteItemCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { parseAllDocuments } from "yaml";
import type { MetricSpec } from "../../lib/k8s/hpa";
import { toItem } from "../../lib/table/items/attributes";
import { ebb as runEbb } from "../cli/run-ebb";
import { allowing, allows, listOf, type Statement } from "../infra/iam";
import { rolesOf } from "../infra/packaged-roles";
import { serveAggregatedApi, type Handler } from "./servers/aggregated-api";
import { apiClient } from "./servers/api-client";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsCall, partition, queueArn, tableArn } from "./servers/aws-call";
import { awsClients, sendWork, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startEbb, type RunningEbb } from "./servers/ebb";
import { startMoto } from "./servers/emulator";
import { eventually } from "./servers/eventually";
import { startFunction } from "./servers/functions";
import { applyManifests } from "./servers/grant";
import { runOsls } from "./servers/osls";
import { recordEmulator, type RecordedEmulator } from "./servers/recording-proxy";
import {
  actOnConsumer,
  consumer,
  consumers,
  defineConsumers,
  deployment,
  deployments,
  specReplicas,
  statefulSet,
  statefulSets,
} from "./servers/workloads";

/**
 * The packaged functions with every kind of target, metric and credential, on an AWS that keeps each request and a
 * kube-apiserver with an audit log. What they asked for is what the stack's roles and the Roles of `ebb rbac` grant:
 * nothing is missing, and nothing is spare.
 */
jest.setTimeout(180_000);

interface AuditLine {
  readonly verb: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly Readonly<Record<"apiGroups" | "resources" | "verbs", readonly string[]>>[];
}

const average = { type: "AverageValue", averageValue: "5" };
const value = { type: "Value", value: "5" };
const ofSource = (name: string, matchLabels: Record<string, string>) => ({
  type: "External",
  external: { metric: { name, selector: { matchLabels } }, target: average },
});
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } };

const metrics = {
  orders: [ofSource("sqs", { queue: "orders" })],
  reports: [ofSource("sqs", { queue: "reports" })],
  // CloudWatch has no such metric, and no pod has a CPU.
  mails: [
    ofSource("sqs", { queue: "mails" }),
    cpu,
    ofSource("cloudwatch", { namespace: "AWS/SQS", metricName: "none", statistic: "Maximum" }),
  ],
  web: [
    cpu,
    { type: "Pods", pods: { metric: { name: "requests" }, target: average } },
    {
      type: "Object",
      object: {
        describedObject: { apiVersion: "v1", kind: "Service", name: "web" },
        metric: { name: "latency" },
        target: value,
      },
    },
    { type: "External", external: { metric: { name: "depth" }, target: average } },
  ],
};
const targets = [
  { kind: "Deployment", apiVersion: "apps/v1", key: "default/orders" },
  { kind: "StatefulSet", apiVersion: "apps/v1", key: "default/mails" },
  { kind: "Consumer", apiVersion: "example.com/v1", key: "default/reports" },
  { kind: "Deployment", apiVersion: "apps/v1", key: "shop/web" },
] as const;
const shopDeployments = deployments.replace("/default/", "/shop/");
const systemDeployments = deployments.replace("/default/", "/kube-system/");

const report = resolve(__dirname, "../../reports/e2e-rights.json");
let apiServer: ApiServer;
let recorded: RecordedEmulator;
let aws: AwsClients;
let ebb: RunningEbb;
let granted: string;
const ending: (() => unknown)[] = [];
const environment = { ...process.env };

beforeAll(async () => {
  apiServer = await startApiServer({ audited: "ebb" });
  ending.push(() => apiServer.stop());
  const moto = await startMoto();
  ending.push(() => moto.stop());
  recorded = await recordEmulator(moto);
  ending.push(() => recorded.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller", "statefulset-controller"],
  });
  ending.push(() => controllers.stop());
  ending.push(await serveMetrics());
  aws = awsClients(recorded);
  ending.push(() => aws.destroy());
  await createWorkloads();
  for (const name of ["orders", "mails", "reports"]) await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  Object.assign(process.env, recorded.env);
  ebb = await startEbb({ emulator: recorded, aws }, apiServer, { syncPeriodSeconds: 3, prepare });
  ending.push(() => ebb.stop());
  await playStory();
  await ebb.settle();
  mkdirSync(resolve(report, ".."), { recursive: true });
  writeFileSync(report, JSON.stringify({ aws: awsCalls(), kubernetes: [...kubernetesCalls()].sort() }, null, 2));
}, 300_000);

afterAll(async () => {
  for (const end of ending.reverse()) await end();
  process.env = environment;
});

/** Of the three metrics APIs, none has any value but External depth, and Object latency is not found. */
function serveMetrics(): Promise<() => Promise<void>> {
  const kinds: Readonly<Record<string, string>> = {
    "metrics.k8s.io": "PodMetricsList",
    "custom.metrics.k8s.io": "MetricValueList",
    "external.metrics.k8s.io": "ExternalMetricValueList",
  };
  const depth = { metricName: "depth", metricLabels: {}, timestamp: "2026-01-01T00:00:00Z", value: "12" };
  const handler: Handler = (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "https://localhost");
    const [, , group = "", version = "", ...rest] = pathname.split("/");
    const items = pathname.endsWith("/depth") ? [depth] : [];
    const list = { kind: kinds[group], apiVersion: `${group}/${version}`, metadata: {}, items };
    const resources = { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources: [] };
    const missing = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "NotFound",
      code: 404,
      message: "no",
    };
    response.statusCode = pathname.endsWith("/latency") ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(response.statusCode === 404 ? missing : rest.length === 0 ? resources : list));
  };
  const groups = Object.keys(kinds).map((group) => ({ group, version: "v1beta1" }));
  return serveAggregatedApi(apiServer, groups, handler);
}

async function createWorkloads(): Promise<void> {
  const { admin } = apiServer;
  await defineConsumers(apiServer);
  await admin.create("/api/v1/namespaces", { metadata: { name: "shop" } });
  await admin.create(deployments, deployment("orders", 1));
  await admin.create(statefulSets, statefulSet("mails", 1));
  await admin.create(consumers, consumer("reports", 1));
  await admin.create(shopDeployments, deployment("web", 1));
  await admin.create(systemDeployments, deployment("coredns", 2));
  await actOnConsumer(apiServer, "reports");
}

/** The table's entries, and then the rights for exactly these. */
async function prepare({ table }: RunningEbb["entries"]): Promise<void> {
  const put = (pk: string, sk: string, more: object) =>
    aws.dynamo.send(new PutItemCommand({ TableName: table, Item: toItem({ pk, sk, ...more }) }));
  const { endpoint, certificateAuthorityData } = apiServer;
  const options = { syncPeriodSeconds: 3, mirrorEvents: true };
  const access = { endpoint, certificateAuthorityData, options };
  await put("CLUSTER#e2e", "CLUSTER", { spec: { ...access, auth: { type: "token", secret: "ebb/e2e" } } });
  for (const { kind, apiVersion, key } of targets) {
    const name = key.slice(key.indexOf("/") + 1) as keyof typeof metrics;
    await put("CLUSTER#e2e", `HPA#${key}`, { spec: specOf({ kind, apiVersion, name }, metrics[name]) });
  }
  await otherClusters(put);
  const { stdout, stderr } = await runEbb(["rbac", "e2e"], { table: { client: aws.dynamo, name: table } });
  expect(stderr).toBe("");
  granted = stdout;
  await applyManifests(apiServer, granted);
}

function specOf(scaleTargetRef: object, given: readonly MetricSpec[]) {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  return { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics: given, behavior };
}

/** Clusters whose credentials come from the other places. Nothing listens at their endpoints. */
async function otherClusters(put: (pk: string, sk: string, more: object) => Promise<unknown>): Promise<void> {
  const ssm = new SSMClient({ endpoint: recorded.endpoint, region: recorded.region });
  await ssm.send(new PutParameterCommand({ Name: "/ebb/second/token", Value: "t", Type: "SecureString" }));
  ssm.destroy();
  const endpoint = "https://127.0.0.1:1";
  const roleArn = `arn:aws:iam::${partition.account}:role/ebb-third`;
  const auths = {
    second: { type: "token", secret: "ssm:/ebb/second/token" },
    third: { type: "eks", clusterName: "third", region: recorded.region, roleArn },
    fourth: { type: "eks", clusterName: "fourth", region: recorded.region },
  };
  for (const [cluster, auth] of Object.entries(auths)) {
    await put(`CLUSTER#${cluster}`, "CLUSTER", { spec: { endpoint, auth } });
    const target = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
    await put(`CLUSTER#${cluster}`, "HPA#default/x", { spec: specOf(target, metrics.orders) });
  }
  // Two small shards, which the tick merges.
  for (const [from, to] of [
    ["", "m/"],
    ["m/", null],
  ] as const) {
    const shard = { cluster: "second", from, to, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
    await put("SHARD", `second#${from}`, shard);
  }
}

/** Everything grows; an HPA is deleted, which wakes ebb; its workload stays. */
async function playStory(): Promise<void> {
  for (const name of ["orders", "mails", "reports"]) await sendWork(aws, name, 12);
  const paths = [`${deployments}/orders`, `${statefulSets}/mails`, `${consumers}/reports`, `${shopDeployments}/web`];
  await eventually("every workload has grown", async () => {
    await actOnConsumer(apiServer, "reports");
    const found = await Promise.all(paths.map((path) => specReplicas(apiServer, path)));
    expect(found.map((replicas = 0) => replicas > 1)).toEqual(paths.map(() => true));
  });
  const { table } = ebb.entries;
  const item = (sk: string) => ({ TableName: table, Key: toItem({ pk: "CLUSTER#e2e", sk }) });
  await aws.dynamo.send(new DeleteItemCommand(item("HPA#default/orders")));
  await wakeFor("HPA#default/orders");
  await eventually("the deleted HPA is forgotten", async () => {
    expect((await aws.dynamo.send(new GetItemCommand(item("STATE#default/orders")))).Item).toBeUndefined();
  });
  // Every rule has been used, or the comparison below says which one was not.
  await eventually("lasting failures are counted on their targets", () => {
    for (const namespace of ["default", "shop"]) expect(kubernetesCalls()).toContain(`${namespace} patch /events`);
  }).catch(() => undefined);
  await eventually("the other clusters are signed in to", () => {
    const actions = awsCalls().map(({ call }) => call.action);
    expect(actions).toEqual(expect.arrayContaining(["ssm:GetParameter", "eks:DescribeCluster", "sts:AssumeRole"]));
  }).catch(() => undefined);
}

async function wakeFor(sk: string): Promise<void> {
  const env = { ...recorded.env, TABLE_NAME: ebb.entries.table, QUEUE_URL: ebb.queueUrl, AWS_ACCESS_KEY_ID: "wake" };
  const wake = startFunction("wake", env);
  try {
    const Keys = toItem({ pk: "CLUSTER#e2e", sk });
    const OldImage = { ...Keys, ...toItem({ spec: {} }) };
    await wake.invoke({ Records: [{ eventName: "REMOVE", dynamodb: { Keys, OldImage } }] });
  } finally {
    await wake.stop();
  }
}

interface CallOf {
  readonly caller: string;
  readonly call: ReturnType<typeof awsCall>;
}

/** Of the functions, each once. */
function awsCalls(): readonly CallOf[] {
  const own = recorded.calls.filter(({ caller }) => ["tick", "wake", "sync"].includes(caller));
  const calls = own.map((recordedCall) => JSON.stringify({ caller: recordedCall.caller, call: awsCall(recordedCall) }));
  return [...new Set(calls)].sort().map((text) => JSON.parse(text) as CallOf);
}

/** "shop get apps/deployments/scale", of all requests to objects. */
function kubernetesCalls(): ReadonlySet<string> {
  const lines = readFileSync(apiServer.auditLog, "utf8").trim().split("\n");
  return new Set(
    lines.flatMap((line) => {
      const { verb, objectRef, annotations = {} } = JSON.parse(line) as AuditLine;
      if (objectRef === undefined) return [];
      expect([line, annotations["authorization.k8s.io/decision"]]).toEqual([line, "allow"]);
      const { apiGroup = "", resource, subresource, namespace = "" } = objectRef;
      return [`${namespace} ${verb} ${apiGroup}/${resource}${subresource === undefined ? "" : `/${subresource}`}`];
    }),
  );
}

describe("Kubernetes", () => {
  test("the Roles of ebb rbac grant what ebb asks for: nothing is missing, nothing is spare", () => {
    const manifests = parseAllDocuments(granted).map((document) => document.toJS() as Manifest);
    const rights = manifests.flatMap(({ metadata: { namespace }, rules = [] }) =>
      rules.flatMap(({ apiGroups, resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${namespace} ${verb} ${apiGroups.join()}/${resource}`)),
      ),
    );
    expect([...kubernetesCalls()].sort()).toEqual(rights.sort());
  });

  test("ebb's credentials cannot touch what no HPA names", async () => {
    const certificate = Buffer.from(apiServer.certificateAuthorityData, "base64").toString("utf8");
    const stolen = apiClient(apiServer.endpoint, certificate, apiServer.ebbToken);
    try {
      const coredns = `${systemDeployments}/coredns/scale`;
      const scale = {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "coredns" },
        spec: { replicas: 0 },
      };
      expect((await stolen.send("GET", coredns)).status).toBe(403);
      expect((await stolen.send("PUT", coredns, scale)).status).toBe(403);
      expect((await stolen.send("GET", `${shopDeployments}/web`)).status).toBe(403);
      expect((await stolen.send("GET", "/api/v1/namespaces/shop/secrets")).status).toBe(403);
      expect((await stolen.send("GET", "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/other")).status).toBe(
        403,
      );
    } finally {
      stolen.close();
    }
    expect(await specReplicas(apiServer, `${systemDeployments}/coredns`)).toBe(2);
  });
});

/** What no run of the functions can show, and why it is granted. By the role, the statement and the action. */
const unseen: Readonly<Record<string, string>> = {
  "ScheduleRole InvokeTick lambda:InvokeFunction": "EventBridge Scheduler invokes the tick",
  "TickRole WriteLogs *": "Lambda writes the logs with the function's role",
  "WakeRole WriteLogs *": "Lambda writes the logs with the function's role",
  "SyncRole WriteLogs *": "Lambda writes the logs with the function's role",
  "WakeRole ReadChanges *": "Lambda reads the stream with the function's role",
  "SyncRole ConsumeSlots *": "Lambda polls the queue with the function's role",
  "TickRole ReadClustersAndShards dynamodb:GetItem":
    "looks after a write of a shard that another tick overtook, or whose answer was lost (test/contract/store)",
};

describe("AWS", () => {
  const folder = mkdtempSync(join(tmpdir(), "ebb-rights-"));
  const roleOf: Readonly<Record<string, string>> = { tick: "TickRole", wake: "WakeRole", sync: "SyncRole" };
  let roles: Readonly<Record<string, readonly Statement[]>>;

  beforeAll(async () => {
    await runOsls(recorded, ["package", "--stage", "e2e", "--region", partition.region, "--package", folder]);
    const template = readFileSync(join(folder, "cloudformation-template-update-stack.json"), "utf8");
    const lambda = `arn:aws:lambda:${partition.region}:${partition.account}:function:tick`;
    roles = rolesOf(JSON.parse(template), {
      "AWS::Partition": partition.partition,
      "AWS::Region": partition.region,
      "AWS::AccountId": partition.account,
      "Table.Arn": tableArn(ebb.entries.table),
      "Table.StreamArn": `${tableArn(ebb.entries.table)}/stream/1`,
      "SlotQueue.Arn": queueArn("ebb-e2e-slots"),
      "TickLambdaFunction.Arn": lambda,
    });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("each function's role allows every call that it made", () => {
    const calls = awsCalls();
    const denied = calls.filter(({ caller, call }) => allowing(roles[roleOf[caller] ?? ""] ?? [], call).length === 0);
    expect(denied).toEqual([]);
    expect(new Set(calls.map(({ caller }) => caller))).toEqual(new Set(["tick", "wake", "sync"]));
  });

  test("each right of each role was used, or says why it could not be", () => {
    const calls = awsCalls();
    const spare: string[] = [];
    const used = new Set<string>();
    for (const [role, statements] of Object.entries(roles)) {
      const own = calls.filter(({ caller }) => roleOf[caller] === role);
      for (const statement of statements) {
        for (const Action of listOf(statement.Action)) {
          for (const Resource of listOf(statement.Resource)) {
            if (own.some(({ call }) => allows({ ...statement, Action, Resource }, call))) continue;
            const right = `${role} ${statement.Sid} ${Action}`;
            const reason = [right, `${role} ${statement.Sid} *`].find((text) => Object.hasOwn(unseen, text));
            if (reason === undefined) spare.push(`${right} ${Resource}`);
            else used.add(reason);
          }
        }
      }
    }
    expect(spare).toEqual([]);
    expect([...used].sort()).toEqual(Object.keys(unseen).sort());
  });
});
