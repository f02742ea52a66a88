import type { HpaKey } from "../../lib/model/hpa-key";
import type { HpaStatus } from "../../lib/k8s/hpa";
import { toV1 } from "../../lib/k8s/codec/encode-v1";
import { toJson } from "../../cli/shell/print/to-json";
import { encodeState } from "../../lib/table/items/hpa-items";
import { fromItem } from "../../lib/table/items/attributes";
import { readKubectlVectors } from "./kubectl-vectors";
import type { Ran } from "./run-ebb";
import { tableForTests } from "./table";

const now = Date.parse("2026-11-21T08:00:00Z");
const at = { now: () => now };

function cluster(name: string): object {
  const spec = { endpoint: `https://${name}.example`, auth: { type: "token", secret: "s" } };
  return { pk: `CLUSTER#${name}`, sk: "CLUSTER", metadata: { creationTimestamp: "2026-11-21T07:00:00Z" }, spec };
}

function stateOf(clusterName: string, key: HpaKey, status: HpaStatus): object {
  const state = { version: 1, slot: 0, status, history: null, open: false };
  return fromItem(encodeState(clusterName, key, state));
}

describe("what kubectl printed of recorded objects", () => {
  const vectors = readKubectlVectors();
  const { byHand, run } = tableForTests();
  beforeAll(async () => {
    for (const { v2 } of vectors) {
      const { status = {}, ...entry } = v2;
      const { namespace = "", name } = v2.metadata;
      await byHand({ pk: "CLUSTER#recorded", sk: `HPA#${namespace}/${name}`, ...entry });
      await byHand(stateOf("recorded", `${namespace}/${name}`, status));
    }
  });

  const recorded = (...args: readonly string[]) => run([...args, "--cluster", "recorded"], at);
  const ageless = (text: string) => text.replace(/\S+\n?$/, "");

  test.each(vectors.map((vector) => [vector.id, vector] as const))(
    "%s",
    async (_, { v2, v1: answered, get, describe }) => {
      const { namespace = "", name } = v2.metadata;
      const asked = [name, "-n", namespace];
      const row = await recorded("get", "hpa", ...asked);
      expect(ageless(row.stdout)).toBe(ageless(get.join("\n")));
      expect(await recorded("get", "hpa", ...asked, "-o", "json")).toEqual({
        stdout: toJson(v2),
        stderr: "",
        exitCode: 0,
      });
      const v1 = await recorded("get", "horizontalpodautoscalers.v1.autoscaling", ...asked, "-o", "json");
      expect(v1.stdout).toBe(toJson(toV1(v2)));
      // kubectl ignores a version after a short name, as recorded.
      const short = await recorded("get", "hpa.v1.autoscaling", ...asked, "-o", "json");
      expect(short.stdout).toBe(toJson(answered));
      expect(await recorded("describe", "hpa", ...asked)).toEqual({ stdout: describe, stderr: "", exitCode: 0 });
    },
  );
});

describe("one cluster", () => {
  const { byHand, run } = tableForTests();
  beforeAll(async () => {
    await byHand(cluster("prod"));
    await byHand(hpa("prod", "default/web", { maxReplicas: 9 }, { app: "web", tier: "1" }));
    await byHand(hpa("prod", "default/orders", { maxReplicas: 10, minReplicas: 2 }, { app: "orders" }));
    await byHand(hpa("prod", "shop/web", { maxReplicas: 10 }));
    await byHand({ ...hpa("prod", "bad/half", { maxReplicas: 0 }), metadata: { labels: "none" } });
    await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#lag", spec: { kind: "sqs", parameters: { queue: "q" } } });
    await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#odd", spec: {} });
  });

  const head = "NAME     REFERENCE           TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\n";
  const orders = "orders   Deployment/orders   cpu: <unknown>/80%   2         10        0          30m\n";
  const web = "web      Deployment/web      cpu: <unknown>/80%   1         9         0          30m\n";
  const missing = 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "x" not found\n';

  test.each<[string, Partial<Ran>]>([
    ["get hpa", { stdout: head + orders + web, stderr: "", exitCode: 0 }],
    [
      "get hpa -o wide",
      { stdout: [head.replace("\n", "   STATE\n"), orders, web].join("").replace(/30m$/gm, "30m   NOT-SYNCED-YET") },
    ],
    ["get horizontalpodautoscalers.v2.autoscaling", { stdout: head + orders + web }],
    ["get hpa web orders", { stdout: head + web + orders }],
    ["get hpa/web hpas/orders", { stdout: head + web + orders }],
    ["get hpa orders x", { stdout: head + orders, stderr: missing, exitCode: 1 }],
    ["get hpa x", { stdout: "", stderr: missing, exitCode: 1 }],
    ["get hpa x -o json", { stdout: "", stderr: missing, exitCode: 1 }],
    ["get hpa x --ignore-not-found", { stdout: "", stderr: "", exitCode: 0 }],
    [
      "get hpa -n empty",
      {
        stdout: "",
        stderr:
          "No resources found in empty namespace.\nthere are HPAs in the namespaces bad, default, shop: choose a namespace with -n, or all with -A\n",
        exitCode: 0,
      },
    ],
    ["get hpa -l app=none", { stdout: "", stderr: "No resources found in default namespace.\n", exitCode: 0 }],
    ["get hpa -A -l app=none", { stdout: "", stderr: "No resources found\n", exitCode: 0 }],
    ["get hpa -l app=orders", { stdout: head + orders }],
    ["get hpa --sort-by={.spec.maxReplicas}", { stdout: head + web + orders }],
    ["get hpa --sort-by=metadata.name", { stdout: head + orders + web }],
    [
      "get hpa --sort-by=.spec.none",
      { stderr: 'error: couldn\'t find any field with path ".spec.none" in the list of objects\n', exitCode: 1 },
    ],
    ["get hpa -o name", { stdout: names("orders", "web") }],
    ["get hpa -n empty -o name", { stdout: "", stderr: "", exitCode: 0 }],
    ["get hpa -o jsonpath={.items[*].metadata.name}", { stdout: "orders web" }],
    ["get hpa web -o jsonpath={.metadata.labels.tier}", { stdout: "1" }],
    [
      "get hpa -n empty -o yaml",
      { stdout: 'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n' },
    ],
    [
      "get hpa --no-headers",
      {
        stdout:
          "orders   Deployment/orders   cpu: <unknown>/80%   2     10    0     30m\n" +
          "web      Deployment/web      cpu: <unknown>/80%   1     9     0     30m\n",
      },
    ],
    [
      "get hpa --show-labels -L tier,example.org/app",
      {
        stdout:
          "NAME     REFERENCE           TARGETS              MINPODS   MAXPODS   REPLICAS   AGE   TIER   APP   LABELS\n" +
          "orders   Deployment/orders   cpu: <unknown>/80%   2         10        0          30m                app=orders\n" +
          "web      Deployment/web      cpu: <unknown>/80%   1         9         0          30m   1            app=web,tier=1\n",
      },
    ],
    [
      "get hpa -A",
      {
        stdout:
          "NAMESPACE   NAME     REFERENCE           TARGETS                                                             MINPODS   MAXPODS   REPLICAS   AGE\n" +
          'bad         half     <invalid>           metadata.labels: Invalid value: "none": expected a map of strings                                  \n' +
          "default     orders   Deployment/orders   cpu: <unknown>/80%                                                  2         10        0          30m\n" +
          "default     web      Deployment/web      cpu: <unknown>/80%                                                  1         9         0          30m\n" +
          "shop        web      Deployment/web      cpu: <unknown>/80%                                                  1         10        0          30m\n",
      },
    ],
    [
      "get clusters",
      {
        stdout: "NAME   ENDPOINT               AUTH    HPAS   AGE\nprod   https://prod.example   token   4      60m\n",
      },
    ],
    ["get cluster/prod -o name", { stdout: "cluster.ebb.dev/prod\n" }],
    [
      "get cluster x",
      { stdout: "", stderr: 'Error from server (NotFound): clusters.ebb.dev "x" not found\n', exitCode: 1 },
    ],
    [
      "get sources",
      {
        stdout:
          "NAME   KIND                                                                VALUE    READ     HPAS   AGE\n" +
          "lag    sqs                                                                 <none>   <none>   0      <unknown>\n" +
          "odd    <invalid> spec.kind: expected text that is not empty, got nothing   <none>   <none>   0      <unknown>\n",
      },
    ],
    [
      "get sources,hpa -n shop",
      {
        stdout:
          "NAME                       KIND                                                                VALUE    READ     HPAS   AGE\n" +
          "metricsource.ebb.dev/lag   sqs                                                                 <none>   <none>   0      <unknown>\n" +
          "metricsource.ebb.dev/odd   <invalid> spec.kind: expected text that is not empty, got nothing   <none>   <none>   0      <unknown>\n" +
          "\n" +
          "NAME                                      REFERENCE        TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\n" +
          "horizontalpodautoscaler.autoscaling/web   Deployment/web   cpu: <unknown>/80%   1         10        0          30m\n",
      },
    ],
    [
      "get foo",
      {
        stderr: 'error: the server doesn\'t have a resource type "foo"; there are clusters, hpa, sources, events\n',
        exitCode: 1,
      },
    ],
    ["get hap", { stderr: 'error: the server doesn\'t have a resource type "hap"; did you mean hpa?\n', exitCode: 1 }],
    [
      "get clutser",
      { stderr: 'error: the server doesn\'t have a resource type "clutser"; did you mean cluster?\n', exitCode: 1 },
    ],
    [
      "gett hpa",
      { stderr: "error: unknown command 'gett'\n(Did you mean get?)\nSee 'ebb --help' for usage.\n", exitCode: 1 },
    ],
    [
      "get hpa --outptu x",
      {
        stderr: "error: unknown option '--outptu'\n(Did you mean --output?)\nSee 'ebb get --help' for usage.\n",
        exitCode: 1,
      },
    ],
    ["get", { stdout: "", exitCode: 1 }],
    ["get hpa/web orders", { stdout: "", exitCode: 1 }],
    ["get hpa/web/x", { stdout: "", exitCode: 1 }],
    [
      "get hpa web -A",
      { stderr: "error: a resource cannot be retrieved by name across all namespaces\n", exitCode: 1 },
    ],
    ["get hpa web -l a=b", { stderr: "error: name cannot be provided when a selector is specified\n", exitCode: 1 }],
    ["get hpa -l a=b=c", { stdout: "", exitCode: 1 }],
    ["get hpa -o foo", { stdout: "", exitCode: 1 }],
    ["get hpa -o jsonpath=", { stderr: "error: template format specified but no template given\n", exitCode: 1 }],
    ["get hpa --types Normal", { stderr: "error: --for and --types work only with `get events`\n", exitCode: 1 }],
    ["get events --for web", { stderr: "error: --for must be in resource/name form\n", exitCode: 1 }],
    ["get events --types Odd", { stderr: 'error: valid --types are Normal or Warning, got "Odd"\n', exitCode: 1 }],
    ["get events", { stdout: "", stderr: "No resources found in default namespace.\n", exitCode: 0 }],
  ])("ebb %s", async (line, expected) => {
    expect(await run(line.split(" "), at)).toMatchObject(expected);
  });

  test("an entry that was never synced has the status that the API server gives a new one", async () => {
    const { stdout } = await run(["get", "hpa", "orders", "-o", "yaml"], at);
    expect(stdout).toBe(`apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  creationTimestamp: "2026-11-21T07:30:00Z"
  labels:
    app: orders
  name: orders
  namespace: default
spec:
  maxReplicas: 10
  metrics:
  - resource:
      name: cpu
      target:
        averageUtilization: 80
        type: Utilization
    type: Resource
  minReplicas: 2
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: orders
status:
  currentMetrics: null
  desiredReplicas: 0
`);
  });
});

function names(...list: readonly string[]): string {
  return list.map((name) => `horizontalpodautoscaler.autoscaling/${name}\n`).join("");
}

function hpa(clusterName: string, key: string, spec: object, labels?: Record<string, string>): object {
  const name = key.split("/")[1];
  const metadata = { creationTimestamp: "2026-11-21T07:30:00Z", ...(labels && { labels }) };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  return { pk: `CLUSTER#${clusterName}`, sk: `HPA#${key}`, metadata, spec: { scaleTargetRef, ...spec } };
}

describe("several clusters", () => {
  const { byHand, run } = tableForTests();
  beforeAll(async () => {
    for (const name of ["blue", "green"]) {
      await byHand(cluster(name));
      await byHand(hpa(name, "default/web", { maxReplicas: 9 }));
    }
    await byHand({ pk: "CLUSTER#red", sk: "CLUSTER", spec: { auth: { type: "eks" } } });
  });
  const inAll = (line: string) => run(line.split(" "), at);

  test("the output names the cluster, unless one is chosen", async () => {
    expect((await inAll("get hpa")).stdout).toBe(
      "CLUSTER   NAME   REFERENCE        TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\n" +
        "blue      web    Deployment/web   cpu: <unknown>/80%   1         9         0          30m\n" +
        "green     web    Deployment/web   cpu: <unknown>/80%   1         9         0          30m\n",
    );
    expect((await inAll("get hpa web --cluster green")).stdout.split("\n")[1]).toMatch(/^web {4}Deployment\/web/);
  });

  test("an object names its cluster, so that it can be applied again", async () => {
    const path = "jsonpath={.items[*].metadata.annotations.ebb\\.dev/cluster}";
    expect((await inAll(`get hpa -o ${path}`)).stdout).toBe("blue green");
    expect((await inAll("get hpa web --cluster blue -o jsonpath={.metadata.annotations}")).stdout).toBe("");
  });

  test("an invalid cluster entry is listed with the reason", async () => {
    expect((await inAll("get clusters")).stdout).toMatch(/^red +<invalid> +spec\.auth\.clusterName: .+ 0 +<unknown>$/m);
  });
});
