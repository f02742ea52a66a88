import { parse } from "yaml";
import { ebb } from "./run-ebb";
import { tableForTests } from "./table";

const { run, register, stored, clear, file } = tableForTests();

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

/** What a dry run prints, without a table. */
const spec = async (...args: readonly string[]) => {
  const { stdout, stderr, exitCode } = await ebb(["autoscale", ...args, "--dry-run", "-o", "yaml"]);
  expect([stderr, exitCode]).toEqual(["", 0]);
  return (parse(stdout) as { spec: { scaleTargetRef: unknown; metrics?: unknown[] } }).spec;
};
const resource = (name: string, target: object) => ({ type: "Resource", resource: { name, target } });
const sqs = (matchLabels: object, averageValue: string) => ({
  type: "External",
  external: { metric: { name: "sqs", selector: { matchLabels } }, target: { type: "AverageValue", averageValue } },
});

test("creates an entry, once", async () => {
  const args = [
    "autoscale",
    "deployment",
    "web",
    "--min",
    "2",
    "--max=10",
    "--cpu=80%",
    "-n",
    "shop",
    "--cluster",
    "prod",
  ];
  expect(await run([...args, "--dry-run=server"])).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/web autoscaled (server dry run)\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await run(args)).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/web autoscaled\n",
    stderr: "",
    exitCode: 0,
  });
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" } as const;
  expect((await stored(ref)).document).toMatchObject({
    metadata: { name: "web", namespace: "shop", creationTimestamp: "2026-03-01T12:00:00Z", generation: 1 },
    spec: { minReplicas: 2, maxReplicas: 10 },
  });
  const exists = {
    stdout: "",
    stderr: 'Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling "web" already exists\n',
    exitCode: 1,
  };
  expect(await run(args)).toEqual(exists);
  expect(await run([...args, "--dry-run=server"])).toEqual(exists);
});

test("a dry run needs no table, and says what it would have created", async () => {
  expect(await ebb(["autoscale", "deploy/web", "--max", "3", "--dry-run"])).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/web created (dry run)\n",
    stderr: "",
    exitCode: 0,
  });
});

test("what a dry run prints can be applied", async () => {
  const { stdout } = await run(["autoscale", "deploy/web", "--max", "3", "--dry-run", "-o", "yaml", "-n", "shop"]);
  expect(stdout).toBe(`apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
spec:
  maxReplicas: 3
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
`);
  expect((await run(["apply", "-f", await file(stdout), "--cluster", "prod"])).stdout).toContain("created");
});

test.each<[string, string, string]>([
  ["deployment", "apps/v1", "Deployment"],
  ["deploy", "apps/v1", "Deployment"],
  ["Deployments.apps", "apps/v1", "Deployment"],
  ["sts", "apps/v1", "StatefulSet"],
  ["replicaset.v1.apps", "apps/v1", "ReplicaSet"],
  ["rc", "v1", "ReplicationController"],
])("%s is %s %s", async (word, apiVersion, kind) => {
  const scaleTargetRef = { apiVersion, kind, name: "web" };
  expect(await spec(word, "web", "--max", "3")).toEqual({ scaleTargetRef, maxReplicas: 3 });
  expect(await spec(`${word}/web`, "--max", "3")).toEqual({ scaleTargetRef, maxReplicas: 3 });
});

test("a custom resource includes its version", async () => {
  const given = ["Rollout/web", "--api-version", "argoproj.io/v1alpha1", "--max", "3"];
  expect((await spec(...given)).scaleTargetRef).toEqual({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    name: "web",
  });
});

test.each<[string, readonly string[], readonly unknown[]]>([
  ["a percentage of CPU", ["--cpu", "70%"], [resource("cpu", { type: "Utilization", averageUtilization: 70 })]],
  ["CPU for each pod", ["--cpu=500m"], [resource("cpu", { type: "AverageValue", averageValue: "500m" })]],
  ["a bare number is milli CPU", ["--cpu=500"], [resource("cpu", { type: "AverageValue", averageValue: "500m" })]],
  ["a bare number is MiB", ["--memory=200"], [resource("memory", { type: "AverageValue", averageValue: "200Mi" })]],
  [
    "CPU and memory",
    ["--memory=1Gi", "--cpu=1"],
    [
      resource("cpu", { type: "AverageValue", averageValue: "1m" }),
      resource("memory", { type: "AverageValue", averageValue: "1Gi" }),
    ],
  ],
  ["a queue", ["--min", "0", "--sqs", "orders", "--per-replica", "5"], [sqs({ queue: "orders" }, "5")]],
  [
    "a queue by its URL",
    ["--min", "0", "--sqs", "https://sqs.eu-central-1.amazonaws.com/123456789012/orders", "--per-replica", "5"],
    [sqs({ queue: "orders", region: "eu-central-1", account: "123456789012" }, "5")],
  ],
  [
    "a queue elsewhere",
    ["--sqs", "orders.fifo", "--per-replica", "2.5", "--queue-region", "eu-west-1"],
    [sqs({ queue: "orders.fifo", region: "eu-west-1" }, "2.5")],
  ],
])("%s", async (_, args, metrics) => {
  const { metrics: asked, ...rest } = await spec("deploy/web", "--max", "10", ...args);
  expect(asked).toEqual(metrics);
  expect(rest).toMatchObject({ maxReplicas: 10, ...(args.includes("--min") && { minReplicas: 0 }) });
});

test("kubectl's older flag still works, and kubectl's words say what to use", async () => {
  const { stdout, stderr, exitCode } = await ebb(
    "autoscale deploy/web --max 10 --cpu-percent 70 --dry-run -o yaml".split(" "),
  );
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n",
  );
  const { spec: written } = parse(stdout) as { spec: { metrics: unknown } };
  expect(written.metrics).toEqual([resource("cpu", { type: "Utilization", averageUtilization: 70 })]);
});

test.each<[string, readonly string[], string]>([
  ["no most", ["deploy/web"], 'required flag(s) "max" not set'],
  ["no target and no most", [], 'required flag(s) "max" not set'],
  ["no target", ["--max", "3"], "expected TYPE NAME or TYPE/NAME"],
  ["a most of none", ["deploy/web", "--max", "0"], "--max=MAXPODS is required and must be at least 1, max: 0"],
  [
    "more fewest than most",
    ["deploy/web", "--max", "3", "--min", "5"],
    "--max=MAXPODS must be larger or equal to --min=MINPODS, max: 3, min: 5",
  ],
  ["no number", ["deploy/web", "--max", "many"], "expected a whole number"],
  ["an invalid percentage", ["deploy/web", "--max", "3", "--cpu", "-1%"], "invalid percentage value: -1"],
  ["an invalid quantity", ["deploy/web", "--max", "3", "--memory", "lots"], "invalid resource memory value: lots"],
  [
    "both flags for CPU",
    ["deploy/web", "--max", "3", "--cpu", "1", "--cpu-percent", "3"],
    "--cpu-percent and --cpu are mutually exclusive",
  ],
  [
    "a kind without a scale",
    ["daemonset/web", "--max", "3"],
    '"daemonset" is not a kind that ebb knows by name: expected one of deployment,',
  ],
  [
    "a plural for a kind",
    ["rollouts/web", "--max", "3", "--api-version", "argoproj.io/v1"],
    "expected the kind as a document has it",
  ],
  ["no name", ["deployment", "--max", "3"], "expected TYPE NAME or TYPE/NAME"],
  ["a queue without its share", ["deploy/web", "--max", "3", "--sqs", "q"], "--sqs needs --per-replica N"],
  [
    "a share without its queue",
    ["deploy/web", "--max", "3", "--per-replica", "3"],
    "--per-replica and --queue-region need --sqs",
  ],
  ["an invalid queue", ["deploy/web", "--max", "3", "--sqs", "a b", "--per-replica", "3"], "--sqs: "],
  [
    "zero without anything to wake on",
    ["deploy/web", "--max", "3", "--min", "0"],
    'The HorizontalPodAutoscaler "web" is invalid: spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
  ],
])("refused: %s", async (_, args, message) => {
  const ran = await ebb(["autoscale", ...args, "--dry-run"]);
  expect([ran.stdout, ran.exitCode]).toEqual(["", 1]);
  expect(ran.stderr).toContain(message);
});
