import { tableForTests } from "./table";

const { file, folder, run } = tableForTests();

const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, resourceVersion: "7" }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, maxReplicas: 3 }
`;
const scaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: jobs }
spec:
  scaleTargetRef: { name: jobs }
  triggers: [{ type: cpu, metricType: Utilization, metadata: { value: "50" } }]
`;
const situation = JSON.stringify({ hpa: {} });

test.each([
  ["validate", hpa],
  ["import keda", scaledObject],
  ["evaluate", situation],
])("ebb %s takes a file as an argument and with -f", async (verb, content) => {
  const path = await file(content);
  const [asArgument, withFlag, withLong] = [
    await run([...verb.split(" "), path]),
    await run([...verb.split(" "), "-f", path]),
    await run([...verb.split(" "), `--filename=${path}`]),
  ];
  expect(asArgument.stdout).not.toBe("");
  expect(withFlag).toEqual(asArgument);
  expect(withLong).toEqual(asArgument);
});

test("validate reads what both name, and refuses to check nothing", async () => {
  const [one, other] = [await file(hpa), await file(hpa.replace("web", "api"))];
  const valid = (name: string) => `horizontalpodautoscaler.autoscaling/${name} valid\n`;
  expect((await run(["validate", one, "-f", other])).stdout).toBe(valid("web") + valid("api"));
  expect(await run(["validate"])).toMatchObject({
    exitCode: 1,
    stderr:
      "error: expected files, folders or URLs to check, such as `ebb validate hpa.yaml`, or - for standard input\n",
  });
});

test("evaluate reads one file", async () => {
  const { stderr, exitCode } = await run(["evaluate", "a.jsonl", "-f", "b.jsonl"]);
  expect([stderr, exitCode]).toEqual(["error: expected one file, got a.jsonl, b.jsonl\n", 1]);
});

describe("import hpa -f", () => {
  test("prints the HPAs of a file as entries, in the namespace of the command line", async () => {
    const given = `${hpa}---\n${hpa.replace("web", "api, namespace: shop")}---\napiVersion: v1\nkind: Service\nmetadata: { name: x }\n`;
    const path = await file(given);
    const { stdout, stderr, exitCode } = await run(["import", "hpa", "-f", path, "-n", "test"]);
    expect(stdout).toContain("name: web\n  namespace: test\n");
    expect(stdout).toContain("name: api\n  namespace: shop\n");
    expect(stdout).not.toContain("resourceVersion");
    expect(stderr).toContain(`Warning: ${path}:11:1: Service is left out: it is no HPA\n`);
    expect(exitCode).toBe(0);
  });

  test("from standard input, some of them", async () => {
    const list = { stdin: `${hpa}---\n${hpa.replaceAll("web", "api")}` };
    const { stdout } = await run(["import", "hpa", "api", "-f", "-"], list);
    expect(stdout).toContain("name: api");
    expect(stdout).not.toContain("name: web");
    expect((await run(["import", "hpa", "apu", "-f", "-"], list)).stderr).toContain("did you mean api?\n");
  });

  test.each([
    [["-A"], "-A, --kubeconfig and --kube-context read a cluster: leave them out, or -f"],
    [["--kube-context", "x"], "-A, --kubeconfig and --kube-context read a cluster: leave them out, or -f"],
  ])("not with %s", async (flags, problem) => {
    const { stderr } = await run(["import", "hpa", "-f", "x.yaml", ...flags]);
    expect(stderr).toContain(`error: ${problem}\n`);
  });

  test("a file that does not exist, and an object without a name", async () => {
    const nowhere = `${folder()}/nowhere.yaml`;
    expect((await run(["import", "hpa", "-f", nowhere])).stderr).toBe(`error: the path "${nowhere}" does not exist\n`);
    const path = await file("kind: HorizontalPodAutoscaler\n");
    expect((await run(["import", "hpa", "-f", path])).stderr).toBe(
      `error: ${path}:1:1: metadata.name: expected the HPA's name\n`,
    );
  });
});

describe("a verb that waits for what somebody types says so", () => {
  const waits = "reading from standard input; Ctrl-D ends it\n";
  test.each([
    ["evaluate", "reading situations from standard input, one a line; Ctrl-D ends it\n"],
    ["evaluate -", "reading situations from standard input, one a line; Ctrl-D ends it\n"],
    ["evaluate -f -", "reading situations from standard input, one a line; Ctrl-D ends it\n"],
    ["validate -", waits],
    ["validate --filename -", waits],
    ["import keda -", waits],
    ["import hpa -f -", waits],
    ["apply -f -", waits],
    ["diff -f -", waits],
    ["create -f -", waits],
    ["replace -f -", waits],
    ["delete -f -", waits],
    ["get -f -", waits],
    ["describe -f -", waits],
    ["label -f - a=b", waits],
    ["wait -f - --for=delete", waits],
  ])("ebb %s", async (line, announced) => {
    const typed = await run(line.split(" "), { typed: true, stdin: line.includes("evaluate") ? situation : hpa });
    expect(typed.stderr.startsWith(announced)).toBe(true);
    const piped = await run(line.split(" "), { stdin: line.includes("evaluate") ? situation : hpa });
    expect(piped.stderr).not.toContain("Ctrl-D");
  });

  test("and one that reads a file does not", async () => {
    const path = await file(hpa);
    expect((await run(["validate", path], { typed: true })).stderr).toBe("");
  });
});
