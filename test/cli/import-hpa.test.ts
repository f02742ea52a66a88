import { parse, parseAllDocuments } from "yaml";
import { json, startServer, type TestServer } from "../cluster/api-server";
import { base64, makeCertificates } from "../cluster/certificates";
import { tableForTests } from "./table";

const { run, file, byHand, stored, clear } = tableForTests();

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const zero = { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "m" };
const web = {
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { team: "a" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", note: "kept" },
    managedFields: [],
    ownerReferences: [{ kind: "Shop", name: "main" }],
  },
  spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 5 },
  status: { currentReplicas: 0, desiredReplicas: 0, currentMetrics: null, conditions: [zero] },
};
const keda = {
  metadata: { name: "keda-hpa-x", namespace: "shop", ownerReferences: [{ kind: "ScaledObject", name: "x" }] },
  spec: { scaleTargetRef, maxReplicas: 5 },
};
const broken = { metadata: { name: "broken", namespace: "shop" }, spec: { scaleTargetRef, maxReplicas: 0 } };
const imported = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop", labels: { team: "a" }, annotations: { note: "kept" } },
  spec: {
    scaleTargetRef,
    minReplicas: 2,
    maxReplicas: 5,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
  status: web.status,
};

let certificates: Awaited<ReturnType<typeof makeCertificates>>;
let server: TestServer;
let items: readonly object[];
let served: readonly string[];

beforeAll(async () => {
  certificates = await makeCertificates();
  // Compiling the official client for the first time takes seconds.
  await import("../../lib/cluster/auth/kubeconfig-auth");
}, 60_000);
beforeEach(async () => {
  [items, served] = [[web], ["v2", "v1"]];
  const versions = () => served.map((version) => ({ version, groupVersion: `autoscaling/${version}` }));
  server = await startServer(({ url }, response) => {
    if (url.startsWith("/apis?") || url === "/apis") {
      const groups = [{ name: "autoscaling", versions: versions(), preferredVersion: versions()[0] }];
      return json(response, 200, { kind: "APIGroupList", groups });
    }
    json(response, 200, { kind: "HorizontalPodAutoscalerList", metadata: {}, items });
  }, certificates.server);
});
afterEach(async () => {
  await server.stop();
  await clear("prod");
});

/** A kubeconfig for the server, in its context "admin". */
async function kubeconfig(): Promise<string> {
  return file(
    JSON.stringify({
      "current-context": "admin",
      clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority-data": base64(certificates.ca) } }],
      users: [{ name: "u", user: { token: "t0k3n" } }],
      contexts: [{ name: "admin", context: { cluster: "c", user: "u" } }],
    }),
    "kubeconfig.json",
  );
}

test("prints entries with the status, which owns a zero, and says how to stop the other controller", async () => {
  const { stdout, stderr, exitCode } = await run(["import", "hpa", "-A", "--kubeconfig", await kubeconfig()], {});
  expect(parse(stdout)).toEqual(imported);
  expect(stderr).toContain(
    "Warning: horizontalpodautoscaler.autoscaling/web belongs to Shop main, which creates it again after you delete it\n",
  );
  expect(stderr).toMatch(/kubectl --kubeconfig \S+\.json delete hpa NAME -n NAMESPACE: /);
  expect(exitCode).toBe(0);
  expect(server.received.at(-1)?.url).toBe("/apis/autoscaling/v2/horizontalpodautoscalers?limit=500");
});

test("of one namespace and by name, for a cluster, as a dry run", async () => {
  items = [web, { ...web, metadata: { ...web.metadata, name: "api" } }];
  const given = ["-n", "shop", "--kube-context", "admin", "--cluster", "prod", "--dry-run-first"];
  const { stdout, stderr, exitCode } = await run(["import", "hpa", "web", "gone", ...given], {
    env: { KUBECONFIG: await kubeconfig() },
  });
  expect(parseAllDocuments(stdout)).toHaveLength(1);
  expect(parse(stdout)).toMatchObject({
    metadata: { name: "web", annotations: { note: "kept", "ebb.dev/cluster": "prod", "ebb.dev/dry-run": "true" } },
  });
  expect(stderr).toContain('Error from server (NotFound): horizontalpodautoscalers.autoscaling "gone" not found\n');
  expect(exitCode).toBe(1);
  expect(server.received.at(-1)?.url).toContain("/namespaces/shop/horizontalpodautoscalers");
});

test("ScaledObjects of a cluster, and of a registered one", async () => {
  await server.stop();
  const scaled = {
    metadata: { name: "orders", namespace: "shop" },
    spec: {
      scaleTargetRef: { name: "orders" },
      maxReplicaCount: 12,
      triggers: [{ type: "aws-sqs-queue", metadata: { queueURL: "orders", queueLength: "5", awsRegion: "eu-west-1" } }],
    },
  };
  server = await startServer(({ url }, response) => {
    const v1alpha1 = { version: "v1alpha1", groupVersion: "keda.sh/v1alpha1" };
    if (url.startsWith("/apis?") || url === "/apis") {
      const groups = [{ name: "keda.sh", versions: [v1alpha1], preferredVersion: v1alpha1 }];
      return json(response, 200, { kind: "APIGroupList", groups });
    }
    const kinds = ["ScaledJob", "ClusterTriggerAuthentication", "TriggerAuthentication"];
    const other = kinds.find((kind) => url.includes(`/${kind.toLowerCase()}s`));
    if (other !== undefined) return json(response, 200, { kind: `${other}List`, metadata: {}, items: [] });
    json(response, 200, { kind: "ScaledObjectList", metadata: {}, items: [scaled] });
  }, certificates.server);
  const { stdout, stderr, exitCode } = await run(["import", "keda", "-n", "shop", "--kubeconfig", await kubeconfig()]);
  expect(stderr).toContain("stop KEDA for each of these");
  expect(parse(stdout)).toMatchObject({
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "orders", namespace: "shop" },
    spec: { minReplicas: 0, maxReplicas: 12, metrics: [{ external: { metric: { name: "sqs" } } }] },
  });
  expect(exitCode).toBe(0);
  expect(server.received.map(({ url }) => url)).toContainEqual(
    expect.stringContaining("/apis/keda.sh/v1alpha1/namespaces/shop/scaledobjects"),
  );
  const auth = { type: "kubeconfig", file: await kubeconfig() };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { auth } });
  const registered = await run(["import", "keda", "-A", "--cluster", "prod"], { env: { KUBECONFIG: auth.file } });
  expect(registered.stdout).toContain("name: orders\n");
  expect(server.received.map(({ url }) => url)).toContainEqual(
    expect.stringContaining("/apis/keda.sh/v1alpha1/scaledobjects"),
  );
});

test("KEDA's HPAs and invalid ones are left out with a warning", async () => {
  items = [keda, broken, web];
  const { stdout, stderr, exitCode } = await run(["import", "hpa", "-A", "--kubeconfig", await kubeconfig()]);
  expect(parseAllDocuments(stdout)).toHaveLength(1);
  expect(stderr).toContain(
    "Warning: horizontalpodautoscaler.autoscaling/keda-hpa-x is not imported: it belongs to KEDA's ScaledObject x; import that with `ebb import keda`\n",
  );
  expect(stderr).toContain("/broken is not imported: spec.maxReplicas: Invalid value: 0: must be");
  expect(exitCode).toBe(1);
});

test("a cluster without v2 is read as v1, whose annotations carry the rest", async () => {
  served = ["v1"];
  const metrics = [{ type: "External", external: { metricName: "q", targetAverageValue: "5" } }];
  const annotations = { "autoscaling.alpha.kubernetes.io/metrics": JSON.stringify(metrics) };
  items = [{ ...web, metadata: { ...web.metadata, annotations }, status: {} }];
  const { stdout } = await run(["import", "hpa", "-A", "--kubeconfig", await kubeconfig()]);
  const target = { type: "AverageValue", averageValue: "5" };
  expect(parse(stdout)).toMatchObject({
    metadata: { labels: { team: "a" } },
    spec: { metrics: [{ type: "External", external: { metric: { name: "q" }, target } }] },
  });
  served = ["v9"];
  const none = await run(["import", "hpa", "-A", "--kubeconfig", await kubeconfig()]);
  expect(none).toMatchObject({ stdout: "", exitCode: 1 });
  expect(none.stderr).toBe(
    "error: the cluster serves no version of autoscaling that ebb knows: expected one of v2, v2beta2, v1\n",
  );
});

test("--apply writes entries of a registered cluster, reached as its entry says", async () => {
  const auth = { type: "kubeconfig", file: await kubeconfig() };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { auth } });
  const env = { KUBECONFIG: auth.file };
  const { stdout, exitCode } = await run(["import", "hpa", "-A", "--apply", "--dry-run-first"], { env });
  expect(stdout).toBe("horizontalpodautoscaler.autoscaling/web created\n");
  expect(exitCode).toBe(0);
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" } as const;
  expect((await stored(ref)).document).toMatchObject({
    metadata: { annotations: { note: "kept", "ebb.dev/dry-run": "true" } },
    spec: imported.spec,
    status: { conditions: [zero] },
  });
});

describe("a registered cluster that this user's credential does not open", () => {
  const own =
    "; to read it with your own credentials, add --kube-context NAME (a context of KUBECONFIG or ~/.kube/config; --kubeconfig FILE names another)\n";

  test("a kubeconfig that only the entry names: which flags open it", async () => {
    const path = await kubeconfig();
    await byHand({
      pk: "CLUSTER#prod",
      sk: "CLUSTER",
      spec: { auth: { type: "kubeconfig", file: path, context: "admin" } },
    });
    const refused = await run(["import", "hpa", "-A"]);
    expect(refused).toEqual({
      stdout: "",
      stderr: `error: cluster prod: its entry names the kubeconfig ${path}, and ebb opens none that only an entry names: if you trust it, add --kubeconfig ${path} --kube-context admin\n`,
      exitCode: 1,
    });
    const [, flags = ""] = refused.stderr.trim().split("if you trust it, add ");
    expect(await run(["import", "hpa", "-A", ...flags.split(" ")])).toMatchObject({ exitCode: 0 });
  });

  test("a secret that cannot be read, and no AWS credentials", async () => {
    const auth = { type: "token", secret: "ebb/prod" };
    await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { endpoint: "https://127.0.0.1:1", auth } });
    const { stdout, stderr, exitCode } = await run(["import", "hpa", "-A"]);
    expect(stderr).toMatch(/^error: cluster prod: secret ebb\/prod: /);
    expect(stderr.endsWith(own)).toBe(true);
    expect([stdout, exitCode]).toEqual(["", 1]);
  });

  test("a credential that may not list HPAs", async () => {
    const groups = [{ name: "autoscaling", versions: [{ version: "v2", groupVersion: "autoscaling/v2" }] }];
    await server.stop();
    server = await startServer(({ url }, response) => {
      if (url === "/apis") return json(response, 200, { kind: "APIGroupList", groups });
      json(response, 403, { kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: "no right" });
    }, certificates.server);
    const path = await kubeconfig();
    await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { auth: { type: "kubeconfig", file: path } } });
    const { stderr, exitCode } = await run(["import", "hpa", "-A"], { env: { KUBECONFIG: path } });
    expect(stderr).toContain("no right");
    expect(stderr.endsWith(own)).toBe(true);
    expect(exitCode).toBe(1);
  });
});

test("nothing to import, and an unknown cluster", async () => {
  items = [];
  expect(await run(["import", "hpa", "--kubeconfig", await kubeconfig()])).toEqual({
    stdout: "",
    stderr: "No resources found in default namespace.\n",
    exitCode: 0,
  });
  const { stderr, exitCode } = await run(["import", "hpa", "--cluster", "nope"]);
  expect(stderr).toBe(
    'Error from server (NotFound): clusters.ebb.dev "nope" not found; the table has no cluster yet\n',
  );
  expect(exitCode).toBe(1);
});
