import { ebb } from "./run-ebb";
import { tableForTests } from "./table";

/** What a person types in the first hour, and the way out that the answer names. */

const { run, file, register, folder } = tableForTests();
beforeAll(() => register("prod"));

test.each([
  [["apply", "hpa.yaml"], "Name files with -f: ebb apply -f FILE\n"],
  [["diff", "hpa.yaml"], "Name files with -f: ebb diff -f FILE\n"],
  [["create", "hpa", "web"], "Name files with -f: ebb create -f FILE\n"],
  [["events", "orders"], "Name an HPA with --for: ebb events --for hpa/NAME\n"],
])("ebb %s says where the argument belongs", async (args, hint) => {
  const { stdout, stderr, exitCode } = await run(args);
  expect(stderr).toContain(`error: too many arguments for '${args[0]}'`);
  expect(stderr.endsWith(hint)).toBe(true);
  expect([stdout, exitCode]).toEqual(["", args[0] === "diff" ? 2 : 1]);
});

test.each([
  ["version", "x"],
  ["status", "x"],
])("ebb %s %s has no such hint", async (...args) => {
  expect((await run(args)).stderr).toMatch(/--help' for usage\.\n$/);
});

test("explain NAME names the type that is missing", async () => {
  const { stderr, exitCode } = await run(["explain", "orders"]);
  expect(stderr).toBe(
    "error: the server doesn't have a resource type \"orders\"; there are clusters, hpa, sources, events; an HPA's decision: ebb explain hpa NAME\n",
  );
  expect(exitCode).toBe(1);
});

test("a document without a kind is not called an HPA", async () => {
  const settings = await file(JSON.stringify({ compilerOptions: {} }), "settings.json");
  const { stderr, exitCode } = await run(["apply", "-f", settings]);
  expect(stderr).toBe(
    `error: ${settings}:1:1: The document is invalid: kind: Required value: must be one of Cluster, HorizontalPodAutoscaler, MetricSource\n`,
  );
  expect(exitCode).toBe(1);
  expect((await run(["import", "keda", settings])).stderr).toBe(
    "Warning: an object without a kind is left out: it is not a ScaledObject\nNo ScaledObjects found.\n",
  );
});

test("a text that is no YAML is not repeated whole", async () => {
  const readme = await file(`# ebb\n\n\`\`\`\n${"many words: and more\n".repeat(100)}`, "readme.md");
  const { stderr, exitCode } = await run(["apply", "-f", readme]);
  expect(stderr).toMatch(/^error: .*readme\.md:\d+:\d+: /);
  expect(stderr.length).toBeLessThan(600);
  expect(exitCode).toBe(1);
});

describe("import hpa with a kubeconfig", () => {
  const contexts = (...names: readonly string[]) =>
    JSON.stringify({ contexts: names.map((name) => ({ name, context: { cluster: "c", user: "u" } })) });

  test("that does not exist", async () => {
    expect(await ebb(["import", "hpa", "--kubeconfig", "gone/config"])).toEqual({
      stdout: "",
      stderr: 'error: the path "gone/config" does not exist\n',
      exitCode: 1,
    });
    const home = await ebb(["import", "hpa", "--kube-context", "dev"], { env: { HOME: `${folder()}/home` } });
    expect(home.stderr).toBe(`error: the path "${folder()}/home/.kube/config" does not exist\n`);
  });

  test("of several in KUBECONFIG: the one that has the context, as kubectl finds it", async () => {
    const [dev, prod] = [await file(contexts("dev"), "dev.json"), await file(contexts("stage", "prod"), "prod.json")];
    const env = { KUBECONFIG: `${folder()}/gone:${dev}:${prod}` };
    const found = await ebb(["import", "hpa", "--kube-context", "prod"], { env });
    // Its context names a cluster that it lacks.
    expect(found.stderr).toContain(prod);
    expect(found.stderr).not.toContain(dev);
    const missing = await ebb(["import", "hpa", "--kube-context", "other"], { env });
    expect(missing.stderr).toBe(
      `error: no file of KUBECONFIG has the context "other": ${folder()}/gone, ${dev}, ${prod}\n`,
    );
  });
});

describe("a source that HPAs of the table read", () => {
  const source = (end: string) => ({
    apiVersion: "ebb.dev/v1",
    kind: "MetricSource",
    metadata: { name: "office-hours" },
    spec: { kind: "schedule", parameters: { timezone: "Europe/Berlin", end, value: 10 } },
  });
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "reports", namespace: "billing" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "reports" },
      maxReplicas: 12,
      metrics: [
        {
          type: "External",
          external: {
            metric: { name: "office-hours", selector: { matchLabels: { start: "0 9 * * 1-5" } } },
            target: { type: "AverageValue", averageValue: "1" },
          },
        },
      ],
    },
  };
  const apply = (verb: string, ...documents: readonly object[]) =>
    run([verb, "-f", "-"], { stdin: documents.map((one) => JSON.stringify(one)).join("\n---\n") });

  const warning =
    'Warning: HPA billing/reports has a metric that its source can no longer read: spec.metrics[0].external.metric: parameter end: expected a time that differs from start, got "0 9 * * 1-5"\n';

  test.each(["apply", "replace"])("%s of the source alone warns of each HPA that it breaks", async (verb) => {
    expect(await apply("apply", source("0 18 * * 1-5"), hpa)).toMatchObject({ stderr: "", exitCode: 0 });
    expect(await apply(verb, source("0 19 * * 1-5"))).toMatchObject({ stderr: "", exitCode: 0 });
    expect(await apply(verb, source("0 9 * * 1-5"))).toMatchObject({ stderr: warning, exitCode: 0 });
  });

  test("so do patch and edit", async () => {
    await apply("apply", source("0 18 * * 1-5"), hpa);
    const patch = JSON.stringify({ spec: { parameters: { end: "0 9 * * 1-5" } } });
    for (const dryRun of ["--dry-run", "--dry-run=none"])
      expect((await run(["patch", "source", "office-hours", "-p", patch, dryRun])).stderr).toBe(warning);
    await apply("apply", source("0 18 * * 1-5"));
    const env = { ...process.env, EBB_CONFIG: "/nowhere", EBB_EDITOR: "sed -i.bak s/18/9/" };
    expect(await run(["edit", "source", "office-hours"], { env })).toEqual({
      stdout: "metricsource.ebb.dev/office-hours edited\n",
      stderr: warning,
      exitCode: 0,
    });
  });
});
