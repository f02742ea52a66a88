import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { EntryRef } from "../../lib/model/ports/entries";
import { itemOf } from "../../lib/table/items/entry-item";
import { tableForTests } from "./table";
import { noLimit } from "../time/no-limit";

const { run, register, file, stored, byHand, clear, beforeNextWrite, entries, folder } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" };
const noon = "2026-03-01T12:00:00Z";

const cluster = `apiVersion: ebb.dev/v1
kind: Cluster
metadata: {name: prod}
spec: {auth: {type: kubeconfig, file: /nowhere}}
`;
const source = `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: {name: jobs}
spec: {kind: sqs, parameters: {queue: jobs}}
`;
const hpa = (more = "", { name = "web", max = 5, metadata = "" } = {}) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${name}, namespace: shop${metadata}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  maxReplicas: ${max}
${more}`;
const queueMetric = (name: string, labels: string) =>
  `  metrics: [{type: External, external: {metric: {name: ${name}, selector: {matchLabels: ${labels}}}, target: {type: AverageValue, averageValue: "5"}}}]\n`;
const all = [cluster, source, hpa()].join("---\n");

afterEach(() => clear("prod"));

describe("what apply prints and writes", () => {
  test("created, then unchanged, then configured", async () => {
    const path = await file(all);
    const names = ["cluster.ebb.dev/prod", "metricsource.ebb.dev/jobs", "horizontalpodautoscaler.autoscaling/web"];
    const said = (change: string) => names.map((name) => `${name} ${change}\n`).join("");
    expect(await run(["apply", "-f", path])).toEqual({ stdout: said("created"), stderr: "", exitCode: 0 });
    const { document, version } = await stored(web);
    expect(document).toEqual({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: {
        name: "web",
        namespace: "shop",
        creationTimestamp: noon,
        generation: 1,
        uid: expect.any(String) as string,
      },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        ],
      },
    });

    expect(await run(["apply", "-f", path])).toEqual({ stdout: said("unchanged"), stderr: "", exitCode: 0 });
    expect((await stored(web)).version).toEqual(version);

    const changed = await file([hpa("", { max: 6 }), source.replace("jobs}}", "other}}"), cluster].join("---\n"));
    const { stdout } = await run(["apply", "-f", changed]);
    expect(stdout).toBe(`${names[2]} configured\n${names[1]} configured\n${names[0]} unchanged\n`);
    expect((await stored(web)).document).toMatchObject({
      metadata: { ...(document["metadata"] as object), generation: 2 },
      spec: { maxReplicas: 6 },
    });
  });

  test("a dry run writes nothing, and says so", async () => {
    const path = await file(all);
    const { stdout, exitCode } = await run(["apply", "-f", path, "--dry-run"]);
    expect(stdout).toContain("horizontalpodautoscaler.autoscaling/web created (dry run)\n");
    expect((await run(["apply", "--dry-run=server", "-f", path])).stdout).toContain("/web created (server dry run)\n");
    expect(exitCode).toBe(0);
    expect(await entries().get(web, noLimit())).toBeUndefined();
  });

  test("-o prints the objects instead", async () => {
    await register("prod");
    const path = await file(source);
    const args = ["apply", "-f", path, "--cluster", "prod"];
    expect((await run([...args, "-o", "name"])).stdout).toBe("metricsource.ebb.dev/jobs\n");
    expect((await run([...args, "-o", "yaml"])).stdout).toMatch(
      /^apiVersion: ebb\.dev\/v1\nkind: MetricSource\nmetadata:\n {2}creationTimestamp: "2026-03-01T12:00:00Z"\n {2}generation: 1\n/,
    );
    const { stdout } = await run(["apply", "-f", path, "-f", path, "--cluster", "prod", "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "List",
      items: [{ kind: "MetricSource" }, { kind: "MetricSource" }],
    });
  });

  test("an autoscaling/v1 document is stored as autoscaling/v2", async () => {
    await register("prod");
    const v1 = hpa("  targetCPUUtilizationPercentage: 70\n").replace("autoscaling/v2", "autoscaling/v1");
    await run(["apply", "-f", await file(v1), "--cluster", "prod"]);
    expect((await stored(web)).document).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: { metrics: [{ resource: { target: { averageUtilization: 70 } } }] },
    });
    const same = hpa(
      "  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]\n",
    );
    expect((await run(["apply", "-f", await file(same), "--cluster", "prod"])).stdout).toContain("unchanged");
  });
});

describe("a metric that its source cannot read", () => {
  const misspelt =
    'The HorizontalPodAutoscaler "web" is invalid: spec.metrics[0].external.metric.selector.matchLabels.queu:';

  test.each(["apply", "diff"])("%s refuses a misspelt parameter, and says where and what was meant", async (verb) => {
    const path = await file([cluster, hpa(queueMetric("sqs", "{queu: orders}"))].join("---\n"));
    const { stderr, stdout } = await run([verb, "-f", path]);
    expect(stderr).toContain(`${path}:12:86: ${misspelt} unknown field (did you mean queue?), expected one of queue, `);
    expect(stdout).toBe("");
    expect(await entries().get(web, noLimit())).toBeUndefined();
  });

  test("the parameters of a source in the table, and of one in the same file, count", async () => {
    const lacking =
      "spec.metrics[0].external.metric: parameter queue: expected a queue's name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN, got nothing";
    const more = hpa(queueMetric("more", "{region: eu-west-1}"));
    const sources = [
      source,
      source.replace("name: jobs", "name: more").replace("{queue: jobs}", "{account: '123456789012'}"),
    ];
    await run(["apply", "-f", await file([cluster, ...sources].join("---\n"))]);
    const fromTable = hpa(queueMetric("jobs", "{region: eu-west-1}"));
    expect((await run(["apply", "-f", await file(fromTable)])).stdout).toContain("/web created\n");
    expect(await run(["apply", "-f", await file(more)])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringContaining(lacking) as string,
    });
    const fixed = sources[1]?.replace("{account: '123456789012'}", "{queue: more}") ?? "";
    expect((await run(["apply", "-f", await file([more, fixed].join("---\n"))])).exitCode).toBe(0);
  });
});

test("a bad or a misspelt annotation of ebb's is refused", async () => {
  const annotated = (annotation: string) => hpa("", { metadata: `, annotations: {${annotation}}` });
  const path = await file(
    [cluster, annotated('ebb.dev/paused: "maybe"'), annotated('ebb.dev/pause: "true"')].join("---\n"),
  );
  expect(await run(["apply", "-f", path])).toEqual({
    stdout: "",
    stderr:
      `error: ${path}:8:54: The HorizontalPodAutoscaler "web" is invalid: ` +
      'metadata.annotations[ebb.dev/paused]: Invalid value: "maybe": must be "true" or "false"\n' +
      `${path}:15:54: The HorizontalPodAutoscaler "web" is invalid: ` +
      'metadata.annotations[ebb.dev/pause]: Invalid value: "true": unknown annotation of ebb, did you mean "ebb.dev/paused"?\n',
    exitCode: 1,
  });
});

describe("the file is the truth", () => {
  beforeEach(() => register("prod"));

  const apply = async (text: string) => (await run(["apply", "-f", await file(text), "--cluster", "prod"])).stdout;

  test("for labels and annotations, whose change makes no new generation", async () => {
    await apply(hpa("", { metadata: ", labels: {a: b, c: d}, annotations: {team: x}" }));
    expect(await apply(hpa("", { metadata: ", labels: {a: B}" }))).toContain("configured");
    const { metadata } = (await stored(web)).document;
    expect(metadata).toMatchObject({ labels: { a: "B" }, generation: 1 });
    expect(metadata).not.toHaveProperty("annotations");
  });

  test("but pauses and dry runs stay unless the file names them", async () => {
    await apply(hpa("", { metadata: ", annotations: {ebb.dev/paused: 'true', team: x}" }));
    expect(await apply(hpa("", { max: 7, metadata: ", annotations: {ebb.dev/dry-run: 'true'}" }))).toContain(
      "configured",
    );
    expect((await stored(web)).document).toMatchObject({
      metadata: { annotations: { "ebb.dev/paused": "true", "ebb.dev/dry-run": "true" } },
    });
    expect(await apply(hpa("", { max: 7 }))).toContain("unchanged");
    expect(await apply(hpa("", { max: 7, metadata: ", annotations: {ebb.dev/paused: 'false'}" }))).toContain(
      "configured",
    );
    expect((await stored(web)).document).toMatchObject({ metadata: { annotations: { "ebb.dev/paused": "false" } } });
  });

  test("and its status is taken over once, and stays", async () => {
    await apply(hpa("status: {currentReplicas: 0, desiredReplicas: 0}\n"));
    await apply(hpa("status: {currentReplicas: 9, desiredReplicas: 9}\n", { max: 8 }));
    expect((await stored(web)).document).toMatchObject({
      spec: { maxReplicas: 8 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
  });

  test("fields that the API server sets are ignored", async () => {
    const served = `, uid: abc, resourceVersion: "7", generation: 9, creationTimestamp: "2020-01-01T00:00:00Z", selfLink: x, managedFields: [],
      annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}`;
    await apply(hpa("", { metadata: served }));
    const { metadata } = (await stored(web)).document;
    expect(metadata).toEqual({
      name: "web",
      namespace: "shop",
      creationTimestamp: noon,
      generation: 1,
      uid: expect.not.stringMatching(/^abc$/) as string,
    });
  });

  test("an entry written by hand works too: the same document is unchanged, and a change keeps its other attributes", async () => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const keys = { pk: "CLUSTER#prod", sk: "HPA#shop/web", expiresAt: 9_999_999_999, owner: "team-x" };
    await byHand({ ...keys, spec: { scaleTargetRef, maxReplicas: 5 }, status: { currentReplicas: 3 } });
    const { version } = await stored(web);
    expect(await apply(hpa())).toContain("unchanged");
    expect((await stored(web)).version).toEqual(version);
    expect(await apply(hpa("", { max: 6 }))).toContain("configured");
    const after = await stored(web);
    expect(after.document).toMatchObject({
      owner: "team-x",
      status: { currentReplicas: 3 },
      metadata: { generation: 1 },
    });
    expect(itemOf(after)["expiresAt"]).toEqual({ N: "9999999999" });
  });

  test("over an entry that is broken", async () => {
    await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/web", metadata: "half", spec: "written" });
    expect(await apply(hpa())).toContain("configured");
    expect((await stored(web)).document).toMatchObject({
      metadata: { name: "web", generation: 1 },
      spec: { maxReplicas: 5 },
    });
  });
});

describe("two people at once", () => {
  beforeEach(() => register("prod"));

  const applyAs = async (text: string) => run(["apply", "-f", await file(text), "--cluster", "prod"]);
  const modified =
    'Error from server (Conflict): Operation cannot be fulfilled on horizontalpodautoscalers.autoscaling "web": ' +
    "the object has been modified; please apply your changes to the latest version and try again\n";

  test("neither change is lost: the second person gets a conflict, and the other objects are applied", async () => {
    await applyAs(hpa());
    beforeNextWrite(() => applyAs(hpa("", { max: 7 })));
    expect(await applyAs([hpa("", { max: 8 }), source].join("---\n"))).toEqual({
      stdout: "metricsource.ebb.dev/jobs created\n",
      stderr: expect.stringContaining(modified) as string,
      exitCode: 1,
    });
    expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 7 }, metadata: { generation: 2 } });
  });

  test("a label that the other added is not lost either", async () => {
    await applyAs(hpa());
    beforeNextWrite(() => applyAs(hpa("", { metadata: ", labels: {a: b}" })));
    expect(await applyAs(hpa("", { max: 8 }))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(modified) as string,
    });
  });

  test("an operation in between is kept, and the change is made", async () => {
    await applyAs(hpa());
    beforeNextWrite(() => applyAs(hpa("", { metadata: ", annotations: {ebb.dev/paused: 'true'}" })));
    expect(await applyAs(hpa("", { max: 8 }))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("configured") as string,
    });
    expect((await stored(web)).document).toMatchObject({
      spec: { maxReplicas: 8 },
      metadata: { annotations: { "ebb.dev/paused": "true" }, generation: 2 },
    });
  });

  test("someone else created the same entry first, or another one", async () => {
    beforeNextWrite(() => applyAs(hpa()));
    expect((await applyAs(hpa())).stdout).toContain("unchanged");
    await clear("prod");
    await register("prod");
    beforeNextWrite(() => applyAs(hpa("", { max: 7 })));
    expect((await applyAs(hpa())).stderr).toContain(
      'Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling "web" already exists\n',
    );
  });

  test("what was deleted in between is not written", async () => {
    await applyAs(hpa());
    beforeNextWrite(() => clear("prod"));
    expect((await applyAs(hpa("", { max: 8 }))).stderr).toContain(
      '(NotFound): horizontalpodautoscalers.autoscaling "web" not found',
    );
    expect(await entries().get(web, noLimit())).toBeUndefined();
  });

  test('of ten at once, each that reports "configured" counts in the generation', async () => {
    await applyAs(hpa("", { max: 1 }));
    const ran = await Promise.all(Array.from({ length: 10 }, (_, index) => applyAs(hpa("", { max: index + 2 }))));
    const configured = ran.filter(({ stdout }) => stdout.includes("configured")).length;
    const refused = ran.filter(({ stderr, exitCode }) => stderr.includes(modified) && exitCode === 1).length;
    expect(configured + refused).toBe(10);
    expect((await stored(web)).document).toMatchObject({ metadata: { generation: configured + 1 } });
  });
});

describe("what is refused", () => {
  test("with one bad document, no other is written; each problem has its place", async () => {
    const path = await file(`${all}---\n${hpa("  minReplicas: 9\n  metric: []\n", { name: "bad" })}`);
    const { stdout, stderr, exitCode } = await run(["apply", "-f", path]);
    expect([stdout, exitCode]).toEqual(["", 1]);
    expect(stderr).toBe(
      `error: ${path}:25:3: The HorizontalPodAutoscaler "bad" is invalid: strict decoding error: unknown field "spec.metric"\n`,
    );
    expect(await entries().list("HorizontalPodAutoscaler", { cluster: "prod" }, noLimit())).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ["no file", ["apply"], "must specify one of -f and -k"],
    [
      "a path that does not exist",
      ["apply", "-f", "/nowhere/x.yaml"],
      'error: the path "/nowhere/x.yaml" does not exist\n',
    ],
    ["nothing on standard input", ["apply", "-f", "-"], "error: no objects passed to apply\n"],
    [
      "a strategy of another kind",
      ["apply", "-f", "-", "--dry-run=maybe"],
      "Allowed choices are none, client, server.",
    ],
  ])("%s", async (_, args, message) => {
    const ran = await run(args);
    expect([ran.stdout, ran.exitCode]).toEqual(["", 1]);
    expect(ran.stderr).toContain(message);
  });

  test("a namespace other than the one asked for", async () => {
    const path = await file(hpa());
    const { stderr, exitCode } = await run(["apply", "-f", path, "-n", "other", "--cluster", "prod"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `error: ${path}:3:23: the namespace from the provided object "shop" does not match the namespace "other". ` +
        "You must pass '--namespace=shop' to perform this operation.\n",
    );
  });
});

describe("which cluster", () => {
  const bare = hpa().replace(", namespace: shop", "");

  test("the only one in the table; the namespace is that of the command", async () => {
    await run(["apply", "-f", await file(cluster)]);
    expect((await run(["apply", "-f", await file(bare), "-n", "shop"])).exitCode).toBe(0);
    expect((await stored(web)).ref).toEqual(web);
  });

  test("the one that the document names wins over the command's", async () => {
    await register("prod");
    const path = await file(hpa("", { metadata: ", annotations: {ebb.dev/cluster: prod}" }));
    await run(["apply", "-f", path, "--cluster", "test"]);
    expect((await stored(web)).ref).toEqual(web);
  });

  test("none, or several", async () => {
    const path = await file(hpa());
    expect((await run(["apply", "-f", path])).stderr).toBe(
      "error: the table has no cluster yet: apply one first, or together with these files\n",
    );
    const two = await file([cluster, cluster.replace("prod", "test"), hpa()].join("---\n"));
    expect((await run(["apply", "-f", two])).stderr).toBe(
      "error: there are 2 clusters (prod, test): choose one with --cluster\n",
    );
  });
});

describe("a cluster that the table does not have", () => {
  const unknown = 'clusters.ebb.dev "nope" not found; the table has prod';
  const refused = (message: string, exitCode = 1) => ({
    stdout: "",
    stderr: expect.stringContaining(message) as string,
    exitCode,
  });
  const nowhere = ["--cluster", "nope", "-n", "shop"];
  beforeEach(async () => run(["apply", "-f", await file(all)]));

  test.each([
    "get hpa",
    "get hpa -A",
    "get hpa,sources",
    "get hpa -w",
    "get sources",
    "get events",
    "get hpa web --ignore-not-found",
    "describe hpa web",
    "explain hpa web",
    "explain hpa web --since 2h",
    "status",
    "status -o json",
    "doctor",
    "rbac",
    "pause hpa --all",
    "resume hpa --all",
    "dry-run hpa --all on",
    "label hpa --all a=b",
    "annotate hpa web a=b",
    "edit hpa web",
    "delete hpa --all",
    "delete hpa web --ignore-not-found",
    "autoscale deployment web --max 3",
    "import hpa",
    "import keda",
  ])("is an error for %s", async (line) => {
    expect(await run([...line.split(" "), ...nowhere])).toEqual(refused(unknown));
  });

  test.each([
    ["apply", 1],
    ["diff", 2],
  ])("is an error for %s, unless it comes with the files", async (verb, exitCode) => {
    const path = await file(hpa());
    const together = `${unknown}; register it first, or together with horizontalpodautoscaler.autoscaling/web`;
    expect(await run([verb, "-f", path, ...nowhere])).toEqual(refused(together, exitCode));
    expect(await entries().list("HorizontalPodAutoscaler", { cluster: "nope" }, noLimit())).toEqual([]);
    const both = await file([cluster.replace("prod", "nope"), hpa()].join("---\n"));
    expect(
      (await run([verb, "-f", both, "--dry-run", ...nowhere].filter((arg) => verb === "apply" || arg !== "--dry-run")))
        .stderr,
    ).toBe("");
  });

  test("a similar name is suggested, and EBB_CLUSTER is checked like the flag", async () => {
    expect((await run(["get", "hpa"], { env: { EBB_CLUSTER: "prd" } })).stderr).toBe(
      'Error from server (NotFound): clusters.ebb.dev "prd" not found; did you mean prod?\n',
    );
  });

  test("what is left of a cluster without an entry is still seen and deleted, and nothing is added", async () => {
    const left = await stored(web);
    await entries().put({ ref: { ...web, cluster: "nope" }, document: left.document }, "nothing", noLimit());
    expect((await run(["get", "hpa", ...nowhere])).stdout).toContain("Deployment/web");
    expect((await run(["apply", "-f", await file(hpa("", { max: 9 })), ...nowhere])).exitCode).toBe(1);
    expect((await run(["autoscale", "deployment", "x", "--max", "9", ...nowhere])).exitCode).toBe(1);
    expect((await run(["delete", "hpa", "--all", ...nowhere])).stdout).toContain('"web" deleted');
  });
});

describe("where documents come from", () => {
  beforeEach(() => register("prod"));

  test("standard input, a list taken apart, several files", async () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [{ apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "a" }, spec: { kind: "sqs" } }],
    });
    const { stdout } = await run(["apply", "-f", "-", "-f", await file(source), "--cluster", "prod"], { stdin: list });
    expect(stdout).toBe("metricsource.ebb.dev/a created\nmetricsource.ebb.dev/jobs created\n");
  });

  test("a folder: its YAML and JSON files in order, and with -R those of its folders", async () => {
    await mkdir(join(folder(), "deploy/more"), { recursive: true });
    const named = (name: string) => source.replace("name: jobs", `name: ${name}`);
    await file(named("b"), "deploy/b.yml");
    await file(named("a"), "deploy/a.yaml");
    await file("no: document", "deploy/README.md");
    await file(named("c"), "deploy/more/c.json");
    const args = ["apply", "-f", join(folder(), "deploy"), "--cluster", "prod", "-o", "name"];
    expect((await run(args)).stdout).toBe("metricsource.ebb.dev/a\nmetricsource.ebb.dev/b\n");
    expect((await run([...args, "-R"])).stdout).toBe(
      "metricsource.ebb.dev/a\nmetricsource.ebb.dev/b\nmetricsource.ebb.dev/c\n",
    );
  });
});

describe("warnings", () => {
  test("a StatefulSet's pods do not go by their cost", async () => {
    const metadata = ", annotations: {ebb.dev/busy: 'metric: jobs'}";
    const stateful = hpa("", { metadata }).replace("kind: Deployment", "kind: StatefulSet");
    expect(await run(["apply", "-f", await file(`${cluster}---\n${hpa("", { metadata })}`)])).toMatchObject({
      stderr: "",
    });
    expect(await run(["apply", "-f", await file(stateful)])).toMatchObject({
      stderr:
        "Warning: HPA shop/web: ebb.dev/busy may not choose which pods go: a StatefulSet removes its highest ordinal first, whichever pod is busy\n",
      exitCode: 0,
    });
  });

  test("two autoscalers with the same target, one of them there before", async () => {
    await run(["apply", "-f", await file([cluster, hpa()].join("---\n"))]);
    const twin = hpa("", { name: "twin" }).replace("kind: Deployment, name: twin", "kind: Deployment, name: web");
    const { stderr, exitCode } = await run(["apply", "-f", await file(twin)]);
    expect([exitCode, stderr]).toEqual([
      0,
      'Warning: autoscalers "twin", "web" in namespace "shop" of cluster "prod" have the same target Deployment.apps/web: none of them will scale it\n',
    ]);
  });
});

describe("a variable of this machine as a source's secret", () => {
  const jobs = (secret: string) => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: {name: jobs}
spec: {kind: http, parameters: {url: "https://jobs.example/n", path: "$.n", secret: "${secret}"}}
`;
  const label = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
  metrics:
  - type: External
    external:
      metric: {name: jobs, selector: {matchLabels: {secret: "env:EBB_SECRET_JOBS"}}}
      target: {type: AverageValue, averageValue: "5"}
`;
  const why =
    "secret: expected a secret in Secrets Manager or SSM such as ebb/prod/stats, got a variable of one machine's environment; the table is in DynamoDB, and functions have no such variable\n";
  const shared = ["--table", "ebb"];

  beforeEach(async () => {
    await run(["apply", "-f", await file(`${cluster}---\n${jobs("ebb/prod/jobs")}`), ...shared]);
  });

  test.each([
    ["apply", jobs("env:EBB_SECRET_JOBS"), "spec.parameters"],
    ["diff", jobs("env:EBB_SECRET_JOBS"), "spec.parameters"],
    ["replace", jobs("env:EBB_SECRET_JOBS"), "spec.parameters"],
    ["create", label, "spec.metrics[0].external.metric.selector.matchLabels"],
  ])("%s refuses it for a table in DynamoDB", async (verb, text, at) => {
    const { stderr, exitCode } = await run([verb, "-f", await file(text), ...shared]);
    expect(stderr).toMatch(/^error: .*:\d+:\d+: The /);
    expect(stderr).toContain(` is invalid: ${at}.${why}`);
    expect(exitCode).toBeGreaterThan(0);
  });

  test("so does patch", async () => {
    const patch = '{"spec":{"parameters":{"secret":"env:EBB_SECRET_JOBS"}}}';
    const { stderr } = await run(["patch", "source", "jobs", "-p", patch, ...shared]);
    expect(stderr).toContain(`spec.parameters.${why}`);
  });

  test("the table that `ebb start` keeps takes it", async () => {
    const { stdout } = await run(["apply", "-f", await file(jobs("env:EBB_SECRET_JOBS"))]);
    expect(stdout).toBe("metricsource.ebb.dev/jobs configured\n");
  });
});
