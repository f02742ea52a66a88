import { setTimeout as sleep } from "node:timers/promises";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { parseAllDocuments } from "yaml";
import type { MetricSpec } from "../../lib/k8s/hpa";
import { asHpaKey } from "../../lib/model/hpa-key";
import { encodeQueueMessage } from "../../lib/model/messages";
import type { FoundSource } from "../../lib/model/metric/found-source";
import type { IdleHpa } from "../../lib/model/stored/idle";
import { fromItem, toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { ebb as runEbb } from "../cli/run-ebb";
import { allowing, allows, listOf, type Statement } from "../infra/iam";
import { rolesOf } from "../infra/packaged-roles";
import { policyOnPage } from "../infra/policies-of-pages";
import { isAuthorized, type ResourcePolicy } from "../infra/resource-policies";
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
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

interface Rule extends Readonly<Record<"apiGroups" | "resources" | "verbs", readonly string[]>> {
  readonly resourceNames?: readonly string[];
}

const average = { type: "AverageValue", averageValue: "5" };
const value = { type: "Value", value: "5" };
const ofSource = (name: string, matchLabels: Record<string, string>) => ({
  type: "External",
  external: { metric: { name, selector: { matchLabels } }, target: average },
});
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } };

/** Of another account, as the page of the source names it in the queue's policy. */
const foreign = {
  account: "444455556666",
  url: "https://sqs.eu-west-1.amazonaws.com/444455556666/orders",
};

const metrics = {
  orders: [ofSource("sqs", { queue: "orders" })],
  reports: [ofSource("sqs", { queue: "reports" }), ofSource("load", {})],
  idle: [ofSource("sqs", { queue: "idle" })],
  // CloudWatch has no such metric, and no pod has a CPU.
  mails: [
    ofSource("sqs", { queuePrefix: "mails" }),
    cpu,
    ofSource("cloudwatch", { namespace: "AWS/SQS", metricName: "none", statistic: "Maximum" }),
    ofSource("sqs", { queue: foreign.url }),
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
/** Of objects of another namespace, which no HPA names: its rights come from the operands of a formula alone. */
const sources = {
  load: {
    kind: "formula",
    parameters: {
      formula: "recorders + backfill",
      operands: [
        { name: "recorders", source: "recorders" },
        { name: "backfill", source: "backfill" },
      ],
    },
  },
  recorders: { kind: "workload", parameters: { namespace: "media", podSelector: "app=recorder" } },
  backfill: {
    kind: "workload",
    parameters: {
      ...{ apiVersion: "batch/v1", resource: "jobs", namespace: "media", name: "backfill" },
      field: "$.spec.parallelism",
    },
  },
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
  for (const name of ["orders", "mails", "reports", "idle"])
    await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  Object.assign(process.env, recorded.env);
  ebb = await startEbb({ emulator: recorded, aws }, apiServer, { syncPeriodSeconds: 3, prepare });
  ending.push(() => ebb.stop());
  await playStory();
  await ebb.settle();
  await watchIdle();
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
  for (const name of ["shop", "media"]) await admin.create("/api/v1/namespaces", { metadata: { name } });
  await admin.create(deployments, deployment("orders", 1));
  await admin.create(deployments, deployment("idle", 1));
  await admin.create(statefulSets, statefulSet("mails", 1));
  await admin.create(consumers, consumer("reports", 1));
  await admin.create(shopDeployments, deployment("web", 1));
  await admin.create(systemDeployments, deployment("coredns", 2));
  const { template } = deployment("backfill", 1).spec;
  const pod = { ...template.spec, restartPolicy: "Never" };
  await admin.create("/apis/batch/v1/namespaces/media/jobs", {
    metadata: { name: "backfill" },
    spec: { parallelism: 2, template: { spec: pod } },
  });
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
  const idle = { kind: "Deployment", apiVersion: "apps/v1", name: "idle" };
  await put("CLUSTER#e2e", "HPA#default/idle", {
    metadata: { annotations: { "ebb.dev/wake": "fast" } },
    spec: { ...specOf(idle, metrics.idle), minReplicas: 0 },
  });
  for (const [name, spec] of Object.entries(sources)) await put("CLUSTER#e2e", `SOURCE#${name}`, { spec });
  await otherClusters(put);
  const { stdout, stderr } = await runEbb(["rbac", "e2e"], { table: { client: aws.table, name: table } });
  expect(stderr).toBe("");
  granted = stdout;
  await applyManifests(apiServer, granted);
}

function specOf(scaleTargetRef: object, given: readonly MetricSpec[]) {
  const scaleUp = { policies: [{ type: "Pods", value: 100, periodSeconds: 1 }] };
  const behavior = { scaleUp, scaleDown: { stabilizationWindowSeconds: 0 } };
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
  await eventually(
    "an HPA is at zero, and to be watched",
    async () => {
      const { Items = [] } = await aws.dynamo.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
          ExpressionAttributeValues: toItem({ ":pk": "CLUSTER#e2e", ":sk": "IDLE#" }),
        }),
      );
      expect(Items).toHaveLength(1);
      // SQS' counts must say so for a minute.
    },
    120_000,
  );
  // Every rule has been used, or the comparison below says which one was not.
  await eventually("lasting failures are counted on their targets", () => {
    for (const namespace of ["default", "shop"]) expect(kubernetesCalls()).toContain(`${namespace} patch /events`);
  }).catch(() => undefined);
  await eventually("the other clusters are signed in to", () => {
    const actions = awsCalls().map(({ call }) => call.action);
    expect(actions).toEqual(expect.arrayContaining(["ssm:GetParameter", "eks:DescribeCluster", "sts:AssumeRole"]));
  }).catch(() => undefined);
}

/** Zeros as slots leave them, of which no workload here has one: of each credential, and of each right on sources. */
async function leaveAtZero(): Promise<void> {
  const { table } = ebb.entries;
  const signal = AbortSignal.timeout(60_000);
  const store = openStore({ client: aws.table, table, now: Date.now });
  const inCluster = { source: "workload", parameters: { namespace: "media", podSelector: "app=recorder" } };
  const metric = { namespace: "AWS/SQS", metricName: "none", statistic: "Maximum", period: "5" };
  const queues = [
    { source: "sqs", parameters: { queuePrefix: "nothing" } },
    { source: "sqs", parameters: { queue: foreign.url } },
  ];
  const found: Readonly<Record<string, readonly Omit<FoundSource, "kind">[]>> = {
    e2e: [inCluster, ...queues],
    second: [inCluster, { source: "cloudwatch", parameters: metric }],
    third: [inCluster],
    fourth: [inCluster],
  };
  for (const shard of await store.shards(signal)) {
    const { cluster, from } = shard;
    const entries = (found[cluster] ?? []).map((one, index) => [asHpaKey(`default/z${index}`), zeroOf(one)] as const);
    await store.putIdle(shard, { ...(await store.idle(shard, signal)), ...Object.fromEntries(entries) }, signal);
    await aws.dynamo.send(
      new UpdateItemCommand({
        TableName: table,
        Key: toItem({ pk: "SHARD", sk: `${cluster}#${from}` }),
        UpdateExpression: "SET idle = :idle",
        ExpressionAttributeValues: toItem({ ":idle": { hash: "of the suite", at: Date.now() } }),
      }),
    );
  }
}

function zeroOf(found: Omit<FoundSource, "kind">): IdleHpa {
  const name = found.source;
  const spec = { scaleTargetRef: { kind: "Deployment", apiVersion: "apps/v1", name }, minReplicas: 0, maxReplicas: 9 };
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name },
  };
  const external = [{ type: "External" as const, external: { metric: { name }, target: average } }] as MetricSpec[];
  return {
    hpa: { ...hpa, spec: { ...spec, metrics: external } },
    sources: [{ kind: "source", ...found }],
    rules: [{}],
  };
}

/** Without slots, so that the poller alone sees the work. */
async function watchIdle(): Promise<void> {
  await leaveAtZero();
  await sendWork(aws, "idle", 3);
  const env = { ...recorded.env, TABLE_NAME: ebb.entries.table, QUEUE_URL: ebb.queueUrl, AWS_ACCESS_KEY_ID: "watch" };
  const hosts = { ALLOWED_HOSTS: new URL(apiServer.endpoint).hostname, POWERTOOLS_METRICS_NAMESPACE: "ebb" };
  // Long enough for a slot of CloudWatch's to pass.
  const watch = startFunction("watch", { ...env, ...hosts }, { timeoutMs: 24_000 });
  try {
    expect(await watch.invoke({ time: new Date().toISOString() })).toMatchObject({ outcome: "watched" });
    // Nothing listens at the other clusters' endpoints, so each is reported, and once.
    const reported = watch.lines.filter(({ reason }) => reason === "FailedWatch").map(({ cluster }) => String(cluster));
    expect(reported).toEqual(expect.arrayContaining(["second", "third", "fourth"]));
    expect(reported).not.toContain("all");
  } finally {
    await watch.stop();
  }
}

async function wakeFor(sk: string): Promise<void> {
  const env = { ...recorded.env, TABLE_NAME: ebb.entries.table, QUEUE_URL: ebb.queueUrl, AWS_ACCESS_KEY_ID: "wake" };
  const wake = startFunction("wake", env);
  try {
    const Keys = toItem({ pk: "CLUSTER#e2e", sk });
    const OldImage = { ...Keys, ...toItem({ spec: {} }) };
    await wake.invoke({ Records: [{ eventName: "REMOVE", dynamodb: { Keys, OldImage } }] });
    // The second one is in an index.
    for (const queue of ["orders", "mails"]) await wake.invoke({ queue });
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
  const own = recorded.calls.filter(({ caller }) => ["tick", "wake", "watch", "sync"].includes(caller));
  const calls = own.map((recordedCall) => JSON.stringify({ caller: recordedCall.caller, call: awsCall(recordedCall) }));
  return [...new Set(calls)].sort().map((text) => JSON.parse(text) as CallOf);
}

/** "shop get apps/deployments/scale", of all requests to objects. */
/** What every user may do by Kubernetes' own system:basic-user: `ebb rbac` asks who it is there. */
const everybodys = ["create authentication.k8s.io/selfsubjectreviews"];

function kubernetesCalls(): ReadonlySet<string> {
  const lines = readFileSync(apiServer.auditLog, "utf8").trim().split("\n");
  return new Set(
    lines.flatMap((line) => {
      const { verb, objectRef, annotations = {} } = JSON.parse(line) as AuditLine;
      if (objectRef === undefined) return [];
      expect([line, annotations["authorization.k8s.io/decision"]]).toEqual([line, "allow"]);
      const { apiGroup = "", resource, subresource, namespace = "" } = objectRef;
      const what = `${verb} ${apiGroup}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
      return everybodys.includes(what) ? [] : [`${namespace} ${what}`];
    }),
  );
}

/** Each right that `ebb rbac` printed by itself: "shop get apps/deployments/scale". */
interface GrantedRight {
  readonly text: string;
  readonly namespace: string;
  readonly rule: Rule;
}

function grantedRights(): readonly GrantedRight[] {
  const manifests = parseAllDocuments(granted).map((document) => document.toJS() as Manifest);
  return manifests.flatMap(({ metadata: { namespace = "" }, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs, ...named }) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({
          text: `${namespace} ${verb} ${apiGroups.join()}/${resource}`,
          ...{ namespace, rule: { apiGroups, resources: [resource], verbs: [verb], ...named } },
        })),
      ),
    ),
  );
}

describe("Kubernetes", () => {
  test("the Roles of ebb rbac grant what ebb asks for: nothing is missing, nothing is spare", () => {
    const rights = grantedRights().map(({ text }) => text);
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

describe("without one of the rights of ebb rbac", () => {
  interface Item {
    readonly sk: string;
    readonly status?: object;
    readonly warnings?: object;
  }
  const key = (sk: string) => toItem({ pk: "CLUSTER#e2e", sk });
  let lastSlot = 0;

  beforeAll(async () => {
    const [{ kind, apiVersion }] = targets;
    const spec = specOf({ kind, apiVersion, name: "orders" }, metrics.orders);
    const Item = toItem({ pk: "CLUSTER#e2e", sk: "HPA#default/orders", spec });
    await aws.dynamo.send(new PutItemCommand({ TableName: ebb.entries.table, Item }));
  });

  async function grant(namespace: string, rights: readonly GrantedRight[], missing: readonly GrantedRight[]) {
    const { admin } = apiServer;
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/ebb`;
    await admin.patch(path, { rules: rights.filter((right) => !missing.includes(right)).map(({ rule }) => rule) });
    // The authorizer watches the roles: it follows a moment later.
    await eventually("the role holds", async () => {
      for (const right of rights)
        expect([right.text, await isAllowed(right)]).toEqual([right.text, !missing.includes(right)]);
    });
  }

  async function isAllowed({ namespace, rule }: GrantedRight): Promise<boolean> {
    const [group = "", verb = ""] = [rule.apiGroups[0], rule.verbs[0]];
    const [resource = "", subresource] = (rule.resources[0] ?? "").split("/");
    const [name] = rule.resourceNames ?? [];
    const only = { ...(subresource === undefined ? {} : { subresource }), ...(name === undefined ? {} : { name }) };
    const attributes = { namespace, verb, group, resource, ...only };
    const spec = { user: "ebb", groups: ["ebb"], resourceAttributes: attributes };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return (await apiServer.admin.create<{ status: { allowed: boolean } }>(path, { spec })).status.allowed;
  }

  /**
   * Every workload is at one replica again, no event is known, and a new function does two slots: so each event is
   * created, and then counted.
   */
  async function syncTwice(): Promise<readonly unknown[]> {
    const env = { ...recorded.env, TABLE_NAME: ebb.entries.table, QUEUE_URL: ebb.queueUrl };
    const hosts = { ALLOWED_HOSTS: new URL(apiServer.endpoint).hostname, POWERTOOLS_METRICS_NAMESPACE: "ebb" };
    const sync = startFunction("sync", { ...env, ...hosts, AWS_ACCESS_KEY_ID: "sync" });
    try {
      for (const { sk } of await itemsOf("EVENTS#"))
        await aws.dynamo.send(new DeleteItemCommand({ TableName: ebb.entries.table, Key: key(sk) }));
      for (let round = 0; round < 2; round++) {
        for (const [path, name] of [
          [deployments, "orders"],
          [statefulSets, "mails"],
          [consumers, "reports"],
          [shopDeployments, "web"],
        ] as const)
          await apiServer.admin.patch(`${path}/${name}`, { spec: { replicas: 1 } });
        await actOnConsumer(apiServer, "reports");
        const slot = await nextSlot();
        const body = encodeQueueMessage({ cluster: "e2e", from: "", slot, until: slot + 3_000 });
        const answer = await sync.invoke({ Records: [{ messageId: "m", receiptHandle: "r", body }] });
        expect(answer).toEqual({ batchItemFailures: [] });
      }
      return sync.lines;
    } finally {
      await sync.stop();
    }
  }

  async function nextSlot(): Promise<number> {
    const slot = Math.max(Math.floor(Date.now() / 1_000) * 1_000, lastSlot + 1_000);
    lastSlot = slot;
    await sleep(Math.max(0, slot - Date.now()));
    return slot;
  }

  /** The rights that the logs and the states of all HPAs say are missing, as the API server words it. */
  async function namedRights(lines: readonly unknown[]): Promise<readonly string[]> {
    const states = await itemsOf("STATE#");
    const said = JSON.stringify([lines, states.map(({ status, warnings }) => [status, warnings])]).replaceAll("\\", "");
    const denial = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)" in the namespace "([^"]+)"/g;
    const named = [...said.matchAll(denial)].map(
      ([, verb, resource, group, namespace]) => `${namespace} ${verb} ${group}/${resource}`,
    );
    return [...new Set(named)];
  }

  async function itemsOf(prefix: string): Promise<readonly Item[]> {
    const { Items = [] } = await aws.dynamo.send(
      new QueryCommand({
        TableName: ebb.entries.table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
        ExpressionAttributeValues: toItem({ ":pk": "CLUSTER#e2e", ":sk": prefix }),
        ConsistentRead: true,
      }),
    );
    return Items.map((item) => fromItem(item) as unknown as Item);
  }

  const failedRights = async () => {
    const { stdout } = await runEbb(["doctor", "e2e"], { table: { client: aws.table, name: ebb.entries.table } });
    return stdout.split("\n").filter((line) => /FAIL +may /.test(line));
  };

  test("exactly that right is named, and with all of them none", async () => {
    const all = grantedRights();
    expect(all.length).toBeGreaterThan(15);
    for (const right of all) {
      const { namespace, rule } = right;
      const own = all.filter((each) => each.namespace === namespace);
      await grant(namespace, own, [right]);
      expect([right.text, await namedRights(await syncTwice())]).toEqual([right.text, [right.text]]);
      const failed = await failedRights();
      expect([right.text, failed]).toEqual([right.text, [expect.stringContaining(`${rule.verbs[0]} not allowed`)]]);
      expect(failed[0]).toContain(`in namespace ${namespace}: `);
      await grant(namespace, own, []);
    }
    expect([await namedRights(await syncTwice()), await failedRights()]).toEqual([[], []]);
  }, 300_000);

  afterAll(() =>
    aws.dynamo.send(new DeleteItemCommand({ TableName: ebb.entries.table, Key: key("HPA#default/orders") })),
  );
});

/** What no run of the functions can show, and why it is granted. By the role, the statement and the action. */
const unseen: Readonly<Record<string, string>> = {
  "SyncRole QueryWorkspaces aps:QueryMetrics":
    "no emulator serves Prometheus workspaces; the signature: test/sources/prometheus",
  "ScheduleRole InvokeTick lambda:InvokeFunction": "EventBridge Scheduler invokes the tick",
  "ScheduleRole InvokeWatch lambda:InvokeFunction": "EventBridge Scheduler invokes the poller",
  "WatchRole QueryWorkspaces aps:QueryMetrics": "as of SyncRole",
  "WatchRole WriteLogs *": "Lambda writes the logs with the function's role",
  "TickRole WriteLogs *": "Lambda writes the logs with the function's role",
  "WakeRole WriteLogs *": "Lambda writes the logs with the function's role",
  "SyncRole WriteLogs *": "Lambda writes the logs with the function's role",
  "WakeRole ReadChanges *": "Lambda reads the stream with the function's role",
  "WakeRole ListStreams *": "Lambda reads the stream with the function's role",
  "SyncRole ConsumeSlots *": "Lambda polls the queue with the function's role",
  "TickRole ReadClustersAndShards dynamodb:GetItem":
    "looks after a write of a shard that another tick overtook, or whose answer was lost (test/contract/store)",
};

describe("AWS", () => {
  const folder = mkdtempSync(join(tmpdir(), "ebb-rights-"));
  const roleOf: Readonly<Record<string, string>> = {
    tick: "TickRole",
    wake: "WakeRole",
    watch: "WatchRole",
    sync: "SyncRole",
  };
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
      "WatchLambdaFunction.Arn": lambda.replace("tick", "watch"),
    });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("each function's role allows every call that it made", () => {
    const calls = awsCalls();
    const denied = calls.filter(({ caller, call }) => allowing(roles[roleOf[caller] ?? ""] ?? [], call).length === 0);
    expect(denied).toEqual([]);
    expect(new Set(calls.map(({ caller }) => caller))).toEqual(new Set(["tick", "wake", "watch", "sync"]));
  });

  const arnOf = (role: string) => `arn:aws:iam::${partition.account}:role/ebb-e2e-${role}`;
  const readers = { SyncRoleArn: arnOf("SyncRole"), WatchRoleArn: arnOf("WatchRole") };

  /** The policy of what was called, as a page tells its owner to write it; undefined: it needs none. */
  function policyOf({ action, resource }: CallOf["call"]): ResourcePolicy | undefined {
    const account = resource.split(":")[4] ?? "";
    if (action === "sts:AssumeRole") {
      // The reader writes the name of the cluster's entry.
      const text = JSON.stringify(policyOnPage("docs/deploy.md", action, readers)).replace("ebb/prod", "ebb/third");
      return { of: "role", account, statements: [JSON.parse(text) as Statement] };
    }
    if (account !== foreign.account) return undefined;
    return { of: "queue", account, statements: [policyOnPage("docs/sources/sqs.md", action, readers)] };
  }

  test.each(["sync", "watch"])(
    "what %s calls beside the stack lets it, by the policies that the pages say to write",
    (caller) => {
      const role = roleOf[caller] ?? "";
      const calls = awsCalls().filter((one) => one.caller === caller);
      const judged = calls.flatMap(({ call }) => {
        const policy = policyOf(call);
        if (policy === undefined) return [];
        const isAllowed = isAuthorized({ arn: arnOf(role), statements: roles[role] ?? [] }, call, policy);
        return [`${call.action} ${call.resource}: ${isAllowed}`];
      });
      expect(judged.sort()).toEqual([
        `sqs:GetQueueAttributes arn:aws:sqs:eu-west-1:${foreign.account}:orders: true`,
        `sts:AssumeRole arn:aws:iam::${partition.account}:role/ebb-third: true`,
      ]);
    },
  );

  test("each right of each role was used, or says why it could not be", () => {
    const calls = awsCalls();
    const spare: string[] = [];
    const used = new Set<string>();
    for (const [role, statements] of Object.entries(roles)) {
      const own = calls.filter(({ caller }) => roleOf[caller] === role);
      for (const statement of statements) {
        for (const Action of listOf(statement.Action)) {
          for (const Resource of listOf(statement.Resource ?? [])) {
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
