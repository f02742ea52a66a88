import { chmod } from "node:fs/promises";
import { signal, tableForTests } from "./table";

const { run, register, file, entries, clear } = tableForTests();
beforeEach(async () => {
  await clear("prod");
  await register("prod");
});

const cluster = (options: string) => `apiVersion: ebb.dev/v1
kind: Cluster
metadata: { name: prod }
spec: { endpoint: "https://prod.example", auth: { type: token, secret: ebb/prod/token }${options} }
`;
const source = (seconds: number) => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: { name: jobs }
spec: { kind: http, parameters: { url: "https://stats.example/n", path: $.n, timeoutSeconds: ${seconds} } }
`;
const formula = (label = "") => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: { name: both }
spec: { kind: formula, parameters: { formula: a * 2, operands: [{ name: a, source: jobs, labels: {${label}} }] } }
`;
const hpa = (label = "", annotations = "") => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: shop, annotations: {${annotations}} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 5
  metrics:
    - type: External
      external:
        metric: { name: jobs, selector: { matchLabels: {${label}} } }
        target: { type: AverageValue, averageValue: "5" }
`;
const every2s = "ebb.dev/sync-period: 2s";
const fast = ", options: { syncPeriodSeconds: 5 }";
const slow = ", options: { syncPeriodSeconds: 60 }";

const spec = "spec.parameters.timeoutSeconds: expected timeoutSeconds of at most";
const metric = "spec.metrics[0].external.metric";

describe.each(["validate", "apply --dry-run=server", "diff"])("ebb %s", (verb) => {
  const check = async (...documents: readonly string[]) => {
    const [command = "", ...flags] = verb.split(" ");
    const path = await file(documents.join("---\n"));
    const where = command === "validate" ? [] : ["--cluster", "prod"];
    return run([command, ...(command === "validate" ? [path] : ["-f", path]), ...flags, ...where]);
  };

  test.each<[string, readonly string[], string | undefined]>([
    ["half of the default period", [source(7)], undefined],
    ["more than half of it", [source(8)], `${spec} 7.5, half of the cluster's sync period of 15 s, got 8`],
    ["beside its cluster", [cluster(fast), source(3)], `${spec} 2.5, half of the cluster's sync period of 5 s, got 3`],
    ["beside its cluster, within half", [cluster(fast), source(2)], undefined],
    ["beside a cluster with a long period", [cluster(slow), source(10)], undefined],
    ["a label", [source(7), hpa('timeoutSeconds: "9"')], `${metric}.selector.matchLabels.timeoutSeconds: expected`],
    [
      "an HPA with a shorter period",
      [source(5), hpa("", every2s)],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    ["an operand", [formula('timeoutSeconds: "8"')], "spec.parameters.operands[0].labels.timeoutSeconds: expected"],
    ["an operand, within half", [source(5), formula('timeoutSeconds: "7"')], undefined],
    [
      "an operand of an HPA with a shorter period",
      [source(5), formula(), hpa("", every2s).replace("name: jobs", "name: both")],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    [
      "an operand's label of an HPA with a shorter period",
      [source(1), formula('timeoutSeconds: "2"'), hpa("", every2s).replace("name: jobs", "name: both")],
      `${metric}.name: expected timeoutSeconds of at most 1,`,
    ],
    ["an HPA with a longer period", [source(7), hpa("", "ebb.dev/sync-period: 5m")], undefined],
    ["the default time-out is cut, not refused", [hpa("", every2s)], undefined],
  ])("%s", async (_name, documents, expected) => {
    const { stderr: err } = await check(...documents);
    if (expected === undefined) expect(err).not.toContain("timeoutSeconds");
    else expect(err).toContain(expected);
  });
});

describe("a sync period that gets shorter", () => {
  const tooShort = "spec.options.syncPeriodSeconds: expected at least";
  const patched = (kind: string, name: string, patch: object) =>
    run(["patch", kind, name, "-n", "shop", "--cluster", "prod", "--type", "merge", "-p", JSON.stringify(patch)]);
  const written = async (...documents: readonly string[]) => {
    const { exitCode, stderr: err } = await run([
      "apply",
      "-f",
      await file(documents.join("---\n")),
      "--cluster",
      "prod",
    ]);
    expect([exitCode, err]).toEqual([0, expect.not.stringContaining("timeoutSeconds")]);
  };
  const isFast = async () => {
    const { document } = (await entries().get({ kind: "Cluster", cluster: "prod", name: "prod" }, signal)) ?? {};
    return JSON.stringify(document).includes('"syncPeriodSeconds":5');
  };
  const ways: readonly [string, () => Promise<{ stderr: string }>][] = [
    ["apply", async () => run(["apply", "-f", await file(cluster(fast))])],
    ["replace", async () => run(["replace", "-f", await file(cluster(fast))])],
    ["diff", async () => run(["diff", "-f", await file(cluster(fast))])],
    ["patch", () => patched("cluster", "prod", { spec: { options: { syncPeriodSeconds: 5 } } })],
    ["edit", () => edited("options: { syncPeriodSeconds: 5 }")],
  ];
  /** Saves the line once, and gives up when the file comes back with an error. */
  const edited = async (line: string) => {
    const add = `awk '/^  auth:/{print "  ${line}"}1' $1 > $1.new && mv $1.new $1`;
    const path = await file(`#!/bin/sh\ngrep -q syncPeriodSeconds $1 || { ${add}; }\n`, "editor.sh");
    await chmod(path, 0o755);
    return run(["edit", "cluster", "prod", "--cluster", "prod"], { env: { EBB_EDITOR: `'${path}'` } });
  };

  test.each(ways)(
    "%s refuses it with the names of sources and HPAs whose time-out is too long",
    async (_way, shorten) => {
      await written(source(7), formula('timeoutSeconds: "6"'), hpa('timeoutSeconds: "3"'));
      const { stderr: err } = await shorten();
      const all = "source both (6 s), source jobs (7 s), HPA shop/web (3 s)";
      expect(err).toContain(`${tooShort} 14, twice the timeoutSeconds of ${all}, got 5: a source that hangs`);
      expect(await isFast()).toBe(false);
    },
  );

  test("the period of the HPAs' own is refused by whatever way, too", async () => {
    await written(source(5), hpa());
    const expected = `${metric}.name: expected timeoutSeconds of at most 1, half of the HPA's sync period of 2 s, got 5`;
    const annotations = { "ebb.dev/sync-period": "2s" };
    for (const { stderr: err } of [
      await run(["apply", "-f", await file(hpa("", every2s)), "--cluster", "prod"]),
      await run(["annotate", "hpa", "web", "-n", "shop", "--cluster", "prod", "ebb.dev/sync-period=2s"]),
      await patched("hpa", "web", { metadata: { annotations } }),
      await patched("hpa", "web", { spec: { syncPeriodSeconds: 2 } }),
    ])
      expect(err).toContain(expected);
  });

  test("a time-out that gets longer is refused for an HPA in the table whose period is short", async () => {
    await written(source(1), formula(), hpa("", every2s).replace("name: jobs", "name: both"));
    const expected = "at most 1, half of HPA shop/web's sync period of 2 s, got 5";
    const path = await file(source(5));
    expect((await run(["apply", "-f", path, "--cluster", "prod"])).stderr).toContain(
      `${spec.replace(/ at most$/, "")} ${expected}`,
    );
    const { stderr: err } = await patched("source", "jobs", { spec: { parameters: { timeoutSeconds: 5 } } });
    expect(err).toContain(expected);
  });

  test("what is corrected together with it, or is longer than before, is not refused", async () => {
    await written(source(7));
    await written(cluster(fast), source(2));
    await written(cluster(""));
    await written(source(7));
    await written(cluster(slow));
    await written(cluster(", options: { syncPeriodSeconds: 60, tolerance: 0.2 }"));
  });
});

test("apply judges by the period of the cluster in the table, and writes nothing", async () => {
  await run(["apply", "-f", await file(cluster(fast))]);
  const { stderr: err } = await run(["apply", "-f", await file(source(3)), "--cluster", "prod"]);
  expect(err).toContain(`${spec} 2.5`);
  const ref = { kind: "MetricSource", cluster: "prod", name: "jobs" } as const;
  expect(await entries().get(ref, signal)).toBeUndefined();
  const patch = JSON.stringify({ spec: { parameters: { timeoutSeconds: 3 } } });
  await run(["apply", "-f", await file(source(2)), "--cluster", "prod"]);
  expect(
    (await run(["patch", "source", "jobs", "--cluster", "prod", "--type", "merge", "-p", patch])).stderr,
  ).toContain(`${spec} 2.5`);
});
