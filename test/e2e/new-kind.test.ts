import { projectWithMadeUp } from "../sources/made-up/project";

/** Everything that a declaration gives: lib/sources/README.md lists it. */
let project: ReturnType<typeof projectWithMadeUp>;
let inputs: readonly string[];

beforeAll(() => {
  project = projectWithMadeUp();
  project.node(["scripts/schema.mjs"]);
  inputs = project.run(
    `import { bundleCommand, bundleFunctions } from "./scripts/bundles.mjs";
     await bundleCommand("dist");
     const probe = { probe: "test/sources/made-up/probe.ts" };
     console.log(JSON.stringify(Object.keys((await bundleFunctions("dist/functions", probe)).inputs)));`,
    "module",
  ) as string[];
}, 120_000);
afterAll(() => project.remove());

describe("the functions", () => {
  test("read an External metric of its name, with code that loads with the first query", () => {
    const files = `Object.keys(require.cache).map((path) => path.split("/").at(-1))`;
    const probed = project.run(
      `require("./dist/functions/probe.js").probe(() => ${files}).then((seen) => console.log(JSON.stringify(seen)))`,
    );
    expect(probed).toEqual({
      response: { items: [{ metricName: "made-up", timestamp: "1970-01-01T00:00:00.000Z", value: "21" }] },
      before: ["probe.js"],
      after: ["probe.js", "source-made-up.js"],
    });
  });

  test("sync loads without it, and no function has what people read of it", () => {
    const loaded = project.run(
      `process.env.TABLE_NAME = process.env.QUEUE_URL = "http://127.0.0.1:1/1/x"; require("./dist/functions/sync.js");
       console.log(JSON.stringify(Object.keys(require.cache)))`,
    );
    expect(loaded).toEqual([`${project.folder}/dist/functions/sync.js`]);
    expect(project.read("dist/functions/sync.js")).toContain("./source-made-up.js");
    expect(inputs).toContain("lib/sources/made-up/kind.ts");
    expect(inputs).not.toContain("lib/sources/made-up/describe.ts");
  });
});

describe("the command", () => {
  const source = (parameters: string) => `apiVersion: ebb.dev/v1
kind: MetricSource
metadata: {name: lag, annotations: {ebb.dev/cluster: prod}}
spec: {kind: made-up, parameters: ${parameters}}
`;
  const validate = (parameters: string) => {
    project.write("source.yaml", source(parameters));
    try {
      return project.ebb("validate", "source.yaml").stdout;
    } catch (error) {
      return String(error);
    }
  };

  test("init writes its example, with what each parameter means", () => {
    project.ebb("init", "started", "--cluster", "prod", "--source", "made-up");
    expect(project.read("started/source.yaml")).toContain(`  kind: made-up
  parameters:
    # Which topic.
    topic: orders
    # How many of its partitions count. Default 1.
    partitions: "3"
    # Others: isStrict.
`);
    expect(project.read("started/hpa-queue.yaml")).toContain('averageValue: "20"');
    expect(project.ebb("validate", "started/source.yaml").stdout).toContain("valid");
    expect(project.ebb("init", "--help").stdout).toContain('"made-up"');
    project.ebb("init", "any", "--cluster", "prod");
    expect(project.read("any/source.yaml")).toContain("made-up");
    expect(project.read("any/hpa-queue.yaml")).toMatch(/and made-up need no entry/);
  });

  test("validate checks its parameters", () => {
    expect(validate("{topic: orders, partitions: 7}")).toContain("valid");
    expect(validate("{topics: orders}")).toContain("parameters.topics: unknown field (did you mean topic?)");
  });

  test("explain and completion know them", () => {
    expect(project.ebb("explain", "source.spec.parameters").stdout).toContain("The lag of a made-up topic.");
    expect(project.ebb("read", "--help").stdout).toContain("made-up");
  });

  test("import keda makes it of its trigger", () => {
    project.write(
      "scaled-object.yaml",
      `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: orders, namespace: shop}
spec:
  scaleTargetRef: {name: orders}
  triggers:
    - {type: made-up-lag, metadata: {topicName: orders, partitions: "3", lag: "9", activationLag: "2", color: red}}
`,
    );
    const { stdout } = project.ebb("import", "keda", "scaled-object.yaml", "--cluster", "prod");
    expect(stdout).toContain(`spec:
  activation: "2"
  kind: made-up
  parameters:
    partitions: 3
    topic: orders
`);
    expect(stdout).toContain('averageValue: "9"');
    expect(stdout).toContain("spec.triggers[0].metadata.color is not carried over");
  });

  test("cost counts what AWS bills for it", () => {
    const { stdout } = project.ebb("cost", "--hpas", "10", "--sources", "made-up=3");
    expect(stdout).toMatch(/^read made-up: 3 topics +0\.210 /m);
  });
});
