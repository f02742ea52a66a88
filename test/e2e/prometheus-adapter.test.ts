import { execFile } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import { setInterval } from "node:timers";
import { promisify } from "node:util";
import { compileFunction } from "node:vm";
import { parse, parseAllDocuments, stringify } from "yaml";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../lib/k8s/hpa";
import { parseMilli } from "../../lib/k8s/quantity";
import { ebb as runEbb } from "../cli/run-ebb";
import { exampleText } from "../examples/examples";
import { untilAvailable } from "./servers/aggregated-api";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startEbb, type RunningEbb } from "./servers/ebb";
import { startMoto } from "./servers/emulator";
import { eventually } from "./servers/eventually";
import { freePorts } from "./servers/free-ports";
import { installed } from "./servers/installed";
import { runPods, type Pods, type RunningPod } from "./servers/pods";
import { startPrometheus, type Prometheus } from "./servers/prometheus";
import { startPrometheusAdapter } from "./servers/prometheus-adapter";
import { deployments, specReplicas } from "./servers/workloads";

/**
 * The walkthrough of examples/prometheus-adapter with its own files: the real Prometheus scrapes the application's
 * pods, and the real prometheus-adapter serves the rate on the real API server. Beside ebb's Deployment is one of
 * upstream's controller, with the same application, load and HPA.
 */
const syncPeriodSeconds = 3;
const ours = "sample-app";
const upstream = "upstream-app";
const requestsPerSecond = 8;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

let apiServer: ApiServer;
let aws: AwsClients;
let ebb: RunningEbb;
let pods: Pods;
let prometheus: Prometheus;
let stopLoad = (): void => undefined;
const ending: (() => unknown)[] = [];

const files = (name: string) => exampleText(`prometheus-adapter/${name}`);
const manifestsOf = (name: string) =>
  parseAllDocuments(files(name)).map((document) => document.toJS() as Manifest & Record<string, never>);
const configMap = <T>(file: string, key: string) => {
  const found = manifestsOf(file).find(({ kind }) => kind === "ConfigMap") as unknown as { data: Record<string, T> };
  return found.data[key] as T;
};

function kubectl(...args: readonly string[]): Promise<string> {
  return kubectlOf("", ...args);
}

async function kubectlOf(input: string, ...args: readonly string[]): Promise<string> {
  const running = promisify(execFile)(installed().kubectl, ["--kubeconfig", apiServer.kubeconfig, ...args]);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

const apply = (documents: readonly unknown[]) =>
  kubectlOf(documents.map((document) => stringify(document)).join("---\n"), "apply", "-f", "-");

const scrapeInterval = { scrape_interval: "1s", scrape_timeout: "1s" };

/** The example's, five times as often. Debian's Prometheus cannot list a cluster's pods: it finds them in a file. */
function prometheusConfig() {
  const config = parse(configMap<string>("prometheus.yaml", "prometheus.yml")) as {
    readonly scrape_configs: readonly [{ readonly kubernetes_sd_configs: readonly object[] }];
  };
  const [{ kubernetes_sd_configs, ...job }] = config.scrape_configs;
  expect(kubernetes_sd_configs).toEqual([{ role: "pod" }]);
  return { global: scrapeInterval, scrape_configs: [{ ...job, file_sd_configs: [{ files: ["targets.json"] }] }] };
}

/** What Prometheus's discovery of the role "pod" says of these pods: one target for each port. */
function targetsOf(running: readonly RunningPod[]) {
  return running.flatMap(({ address, pod: { metadata, spec } }) =>
    spec.containers
      .flatMap(({ ports = [] }) => ports)
      .map(({ name = "", containerPort }) => ({
        targets: [`${address}:${containerPort}`],
        labels: {
          __meta_kubernetes_namespace: metadata.namespace,
          __meta_kubernetes_pod_name: metadata.name,
          __meta_kubernetes_pod_phase: "Running",
          __meta_kubernetes_pod_container_port_name: name,
          ...Object.fromEntries(
            Object.entries(metadata.annotations ?? {}).map(([key, value]) => [
              `__meta_kubernetes_pod_annotation_${key.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`,
              value,
            ]),
          ),
        },
      })),
  );
}

/** Starts the script of app.yaml, as its container does: in this process, on the pod's address. */
async function startApp(address: string): Promise<() => void> {
  let server: http.Server | undefined;
  const createServer = (handler: http.RequestListener) => (server = http.createServer(handler));
  const script = compileFunction(appScript, ["require", "process"]) as (...given: unknown[]) => void;
  script(() => ({ createServer }), { env: { POD_IP: address }, on: () => undefined });
  if (server === undefined) throw new Error("the script of app.yaml creates no server");
  await once(server, "listening");
  const listening = server;
  return () => {
    listening.closeAllConnections();
    listening.close();
  };
}

let appScript: string;
let appPort: number;

/** app.yaml, under this name, on a port that is free on this machine. */
async function deployApp(name: string): Promise<void> {
  const text = files("app.yaml").replaceAll("sample-app", name).replaceAll("8080", String(appPort));
  await kubectlOf(text, "apply", "-f", "-");
}

/** Requests to both applications, shared over their pods as a Service shares them. */
function startLoad(): () => void {
  let turn = 0;
  const timer = setInterval(() => {
    turn += 1;
    for (const app of [ours, upstream]) {
      const running = pods.running().filter(({ pod }) => pod.metadata.labels?.["app"] === app);
      const address = running[turn % Math.max(1, running.length)]?.address;
      // A pod may have ended meanwhile.
      if (address !== undefined) void fetch(`http://${address}:${appPort}/`).catch(() => undefined);
    }
  }, 1_000 / requestsPerSecond);
  return () => clearInterval(timer);
}

beforeAll(async () => {
  [appPort = 0] = await freePorts(1);
  appScript = configMap<string>("app.yaml", "app.js").replace("8080", String(appPort));
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  const moto = await startMoto();
  ending.push(() => moto.stop());
  aws = awsClients(moto);
  ending.push(() => aws.destroy());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "horizontal-pod-autoscaler-controller", "replicaset-controller"],
    flags: [`--horizontal-pod-autoscaler-sync-period=${syncPeriodSeconds}s`],
  });
  ending.push(() => controllers.stop());

  for (const file of ["prometheus.yaml", "prometheus-adapter.yaml"])
    await apply(manifestsOf(file).filter(({ kind }) => kind !== "APIService" && kind !== "Service"));
  prometheus = await startPrometheus(prometheusConfig());
  ending.push(() => prometheus.stop());
  await startAdapter();
  for (const app of [ours, upstream]) await deployApp(app);
  const changed = (running: readonly RunningPod[]) =>
    prometheus.put("targets.json", JSON.stringify(targetsOf(running)));
  pods = runPods(apiServer, { start: startApp, changed });
  ending.push(() => pods.stop());
  ebb = await startEbb({ emulator: moto, aws }, apiServer, { syncPeriodSeconds });
  ending.push(() => ebb.stop());
}, 180_000);

afterAll(async () => {
  stopLoad();
  for (const end of ending.reverse()) await end();
});

async function startAdapter(): Promise<void> {
  const manifests = manifestsOf("prometheus-adapter.yaml");
  const { spec } = manifests.find(({ kind }) => kind === "Deployment") as unknown as {
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { args: string[] }[] } } };
  };
  const adapter = await startPrometheusAdapter(apiServer, {
    args: spec.template.spec.containers[0]?.args ?? [],
    config: configMap<string>("prometheus-adapter.yaml", "config.yaml"),
    prometheusUrl: prometheus.url,
    token: (await kubectl("create", "token", "prometheus-adapter", "--namespace", "monitoring")).trim(),
  });
  ending.push(() => adapter.stop());
  // There is no network of services: the API server reaches the adapter by an external name.
  const { admin } = apiServer;
  const external = { type: "ExternalName", externalName: "localhost" };
  await admin.create("/api/v1/namespaces/monitoring/services", {
    metadata: { name: "prometheus-adapter" },
    spec: external,
  });
  const apiServices = manifests.filter(({ kind }) => kind === "APIService") as unknown as readonly {
    readonly spec: { readonly version: string; readonly service: object };
  }[];
  await apply(
    apiServices.map((one) => ({ ...one, spec: { ...one.spec, service: { ...one.spec.service, port: adapter.port } } })),
  );
  for (const { spec } of apiServices)
    await untilAvailable(apiServer, { group: "custom.metrics.k8s.io", version: spec.version });
}

interface MetricValues {
  readonly items: readonly { readonly describedObject: { readonly name: string }; readonly value: string }[];
}

/** The README's command. */
async function metricOf(app: string): Promise<MetricValues["items"]> {
  const path = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/http_requests?labelSelector=app%3D${app}`;
  return (JSON.parse(await kubectl("get", "--raw", path)) as MetricValues).items;
}

const table = () => ({ client: aws.table, name: ebb.entries.table });

async function ebbPrints(args: readonly string[], stdin = ""): Promise<string> {
  const { exitCode, stdout, stderr } = await runEbb(args, { table: table(), stdin });
  if (exitCode !== 0) throw new Error(`ebb ${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function statusOf(app: string): Promise<HpaStatus> {
  const printed =
    app === ours
      ? await ebbPrints(["get", "hpa", ours, "--cluster", "e2e", "-o", "json"])
      : await kubectl("get", "hpa", app, "-o", "json");
  return (JSON.parse(printed) as HorizontalPodAutoscaler).status ?? {};
}

const averageOf = ({ currentMetrics }: HpaStatus) =>
  currentMetrics?.map((metric) => (metric.type === "Pods" ? metric.pods?.current.averageValue : undefined));

const conditionsOf = ({ conditions }: HpaStatus) =>
  conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message }));

async function untilBothHave(replicas: number): Promise<void> {
  await eventually(
    `${replicas} replicas`,
    async () => {
      for (const app of [ours, upstream])
        expect({ app, replicas: await specReplicas(apiServer, `${deployments}/${app}`) }).toEqual({ app, replicas });
    },
    90_000,
  );
}

test("Prometheus may list the pods of every namespace", async () => {
  for (const verb of ["get", "list", "watch"]) {
    const as = "system:serviceaccount:monitoring:prometheus";
    expect(await kubectl("auth", "can-i", verb, "pods", "--all-namespaces", "--as", as)).toBe("yes\n");
  }
});

test("the adapter serves the rate of the application's requests, in both versions of the API", async () => {
  await eventually("the metric of the pods", async () => {
    for (const app of [ours, upstream]) expect(await metricOf(app)).toMatchObject([{ value: "0" }]);
  });
  for (const version of ["v1beta1", "v1beta2"])
    expect(await kubectl("get", "--raw", `/apis/custom.metrics.k8s.io/${version}`)).toContain('"pods/http_requests"');
});

test("ebb and upstream's controller read what kubectl reads", async () => {
  stopLoad = startLoad();
  await eventually("the load", async () => {
    for (const app of [ours, upstream])
      expect(parseMilli((await metricOf(app))[0]?.value ?? "0")).toBeGreaterThan(4_000n);
  });
  // Without further scrapes, the rate stays what it is for a minute.
  await prometheus.configure({ global: scrapeInterval });
  const hpa = files("hpa.yaml");
  await ebbPrints(["apply", "-f", "-", "--cluster", "e2e"], hpa);
  await kubectlOf(await ebbPrints(["rbac", "e2e"]), "apply", "-f", "-");
  await kubectlOf(hpa.replaceAll(ours, upstream), "apply", "-f", "-");
  for (const app of [ours, upstream]) {
    const [item] = await metricOf(app);
    await eventually(`${app}'s status`, async () => expect(averageOf(await statusOf(app))).toEqual([item?.value]));
  }
  await prometheus.configure(prometheusConfig());
});

test("under load, the Deployment grows from 1 to 10", async () => {
  await untilBothHave(10);
  await eventually("the conditions", async () => {
    const conditions = conditionsOf(await statusOf(ours));
    expect(conditions).toContainEqual({
      type: "ScalingLimited",
      status: "True",
      reason: "TooManyReplicas",
      message: "the desired replica count is more than the maximum replica count",
    });
    expect(conditions).toEqual(conditionsOf(await statusOf(upstream)));
  });
  await eventually("a metric of each pod", async () => expect(await metricOf(ours)).toHaveLength(10));
});

test("without load, it goes back to 1", async () => {
  stopLoad();
  await untilBothHave(1);
  await eventually("the conditions", async () => {
    const statuses = { ours: await statusOf(ours), upstream: await statusOf(upstream) };
    expect(statuses.ours.currentReplicas).toBe(1);
    expect(averageOf(statuses.ours)).toEqual(["0"]);
    expect(conditionsOf(statuses.ours)).toEqual(conditionsOf(statuses.upstream));
  });
});
