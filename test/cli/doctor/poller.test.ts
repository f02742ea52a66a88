import { sourcesOver, openAwsClients } from "../../../compose";
import { checkPoller } from "../../../cli/understand/doctor/check-poller";
import { formatFinding } from "../../../cli/understand/doctor/finding";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { asHpaKey } from "../../../lib/model/hpa-key";
import { onThisMachine } from "../../../lib/net/address";
import type { UnreadQuery, PollerLease } from "../../../lib/model/stored/idle";
import { externalSource } from "../../../lib/readings/read-sources";
import { hpaWith, situationWith } from "../../core/build";
import { memoryStore } from "../../fakes/memory-store";
import { idleHpa } from "../../poller/world";
import { plainCaller } from "../advice/plain-caller";
import { shard as anyShard, stateAfter } from "../explain/explained";
import { signal } from "../table";

/** What doctor says of the zero-scale poller, by the poller's own item in the table. */
const now = Date.parse("2026-11-10T12:00:00Z");
const role = "arn:aws:iam::111122223333:role/ebb-prod-WatchRole-1ABC";
const ownAccount = "https://sqs.eu-west-1.amazonaws.com/111122223333/orders";
const token: ClusterSpec["auth"] = { type: "token", secret: "ebb/prod" };
const eks: ClusterSpec["auth"] = { type: "eks", clusterName: "prod", region: "eu-central-1" };
const sources = sourcesOver(openAwsClients(), { now: () => now, addresses: onThisMachine });

interface Given {
  readonly auth?: ClusterSpec["auth"];
  /** The source that the HPA shop/web reads. */
  readonly source?: { readonly kind: string; readonly parameters: Readonly<Record<string, unknown>> };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isAtZero?: boolean;
  readonly unread?: readonly Partial<UnreadQuery>[];
  readonly lease?: Partial<PollerLease> | "none";
  /** What sync's last reading failed with. */
  readonly warning?: string;
}

async function linesOf({ auth = token, source, annotations = { "ebb.dev/wake": "fast" }, ...given }: Given) {
  const { isAtZero = false, unread = [], lease = {}, warning } = given;
  const store = memoryStore();
  const shard = { ...anyShard, cluster: "prod", ...(isAtZero ? { idle: { hash: "h", at: now } } : {}) };
  if (isAtZero) await store.putIdle(shard, { [asHpaKey("shop/web")]: idleHpa("web", "", {}) }, signal);
  const metric = { name: "work", selector: { matchLabels: {} } };
  const target = { type: "AverageValue", averageValue: "5" } as const;
  const hpa = hpaWith({ minReplicas: 0, metrics: [{ type: "External", external: { metric, target } }] });
  const entry = {
    key: "work",
    value: { name: "work", spec: source ?? { kind: "sqs", parameters: { queue: "orders" } } },
  };
  const known = { entries: new Map([["work", entry]]), sources };
  const failed = { type: "Warning", reason: "FailedGetExternalMetric", message: warning ?? "" } as const;
  const state = { ...stateAfter(situationWith({ hpa })), warnings: warning === undefined ? [] : [failed] };
  const query = { id: "q", cluster: "prod", hpa: asHpaKey("shop/web"), metric: "work", error: "access denied" };
  const queries = unread.map((one) => ({ ...query, since: now - 300_000, readings: 61, ...one }));
  const held: PollerLease = {
    ...{ version: 1, holder: "w", minute: now, until: now + 30_000, role },
    spending: { month: "2026-11", spent: 0 },
    ...(queries.length > 0 && { unread: { queries } }),
    ...(lease === "none" ? {} : lease),
  };
  const findings = await checkPoller(
    {
      entry: { name: "prod", spec: { endpoint: "https://prod.example", auth } },
      hpas: [{ ...hpa, metadata: { ...hpa.metadata, annotations } }],
      states: { [asHpaKey("shop/web")]: state },
      locate: (one) => externalSource(one, known),
      sources,
    },
    { store, shards: [shard], lease: lease === "none" ? undefined : held, now, signal },
  );
  return findings.map((one) => formatFinding(one, { style: (_, text) => text, caller: plainCaller }));
}

const inCluster = { kind: "workload", parameters: { namespace: "shop", podSelector: "app=recorder" } };
const via = {
  kind: "http",
  parameters: { url: "/depth", path: "$.n", via: { namespace: "shop", service: "stats", port: 80 } },
};

test("an HPA at zero whose readings are answered is ok", async () => {
  expect(await linesOf({ isAtZero: true })).toEqual([well]);
});

test("no reading answered while sync's are: FAIL, with the role and where the grants are", async () => {
  const [line, ...others] = await linesOf({ isAtZero: true, unread: [{}] });
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^FAIL {2}the zero-scale poller reads work of HPA shop\/web: no reading was answered since .*: access denied → grant /,
  );
  expect(line).toContain(`docs/deploy.md, Grants to ebb's roles): ${role}, in the policy of the queue, `);
});

test.each([
  ["workload", inCluster],
  ["via", via],
])("in an EKS cluster, by %s, the access entry is printed as it is typed", async (_name, source) => {
  const [line] = await linesOf({ auth: eks, source, isAtZero: true, unread: [{ error: "401" }] });
  const entry = `aws eks create-access-entry --region eu-central-1 --cluster-name prod --principal-arn ${role} --kubernetes-groups ebb`;
  expect(line).toContain(`let the zero-scale poller's role in as well, as the group ebb: \`${entry}\``);
});

test("a role of the entry has the access entry: its trust policy is what the poller lacks", async () => {
  const auth = { ...eks, roleArn: "arn:aws:iam::444455556666:role/ebb-x" } as const;
  const [line] = await linesOf({ auth, source: inCluster, isAtZero: true, unread: [{}] });
  expect(line).toContain(`${role}, in the policy of the queue, the key or the role, `);
});

const well = "ok    the zero-scale poller reads what 1 HPA at zero scale on";

test.each<[string, Given, readonly string[]]>([
  ["sync cannot read either: its own line is about that", { unread: [{}], warning: "no such queue" }, []],
  ["it failed twice so far", { unread: [{ readings: 2 }] }, []],
  ["it is another cluster's", { unread: [{ cluster: "staging" }] }, [well]],
  ["its HPA is gone", { unread: [{ hpa: asHpaKey("shop/gone") }] }, [well]],
])("no FAIL if %s", async (_name, given, lines) => {
  expect(await linesOf({ isAtZero: true, ...given })).toEqual(lines);
});

test("without a poller now, what the last one could not read is not checked, and the line says how to grant it", async () => {
  const [line] = await linesOf({ unread: [{}], lease: { until: now - 600_000 } });
  expect(line).toMatch(
    /^-- {4}the zero-scale poller reads work of HPA shop\/web: not checked: nothing is at zero now; until .*, no reading was answered: access denied → grant /,
  );
});

test.each<[string, Given, string]>([
  ["an EKS cluster's workload", { auth: eks, source: inCluster }, "reads sources through the cluster"],
  ["a service of an EKS cluster", { auth: eks, source: via }, "reads sources through the cluster"],
  [
    "another account's queue",
    { source: { kind: "sqs", parameters: { queue: "orders", account: "444455556666" } } },
    "reads queues of other accounts",
  ],
  [
    "MSK",
    { source: { kind: "kafka", parameters: { address: "b-1.x.kafka.eu-west-1.amazonaws.com:9098", awsIam: true } } },
    "signs in to brokers by IAM",
  ],
])("not at zero yet, and %s: not checked, with what to grant", async (_name, given, what) => {
  const lines = await linesOf(given);
  const why = "it reads the sources of HPA shop/web at zero, with a role of its own";
  expect(lines).toEqual([expect.stringContaining(`--    the zero-scale poller ${what}: not checked: ${why} → `)]);
});

test("before any poller ran, its role is named as the stack's output", async () => {
  const [line] = await linesOf({ auth: eks, source: inCluster, lease: "none" });
  expect(line).toContain("docs/deploy.md, Grants to ebb's roles): the stack's output WatchRoleArn, in the policy");
});

test.each<[string, Given]>([
  ["the stack's own parameters are enough", {}],
  ["a queue's URL is of the stack's own account", { source: { kind: "sqs", parameters: { queue: ownAccount } } }],
  ["the cluster has a token, which both roles read", { source: inCluster }],
  ["its slots wake it", { auth: eks, source: inCluster, annotations: {} }],
  ["it is paused", { auth: eks, source: inCluster, annotations: { "ebb.dev/wake": "fast", "ebb.dev/paused": "true" } }],
  ["its source cannot be read by anybody", { source: { kind: "sqs", parameters: { queue: "no/queue" } } }],
])("nothing is said where %s", async (_name, given) => {
  expect(await linesOf(given)).toEqual([]);
});
