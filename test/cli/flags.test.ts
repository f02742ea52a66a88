import { Command, Option } from "commander";
import { readFlags } from "../../cli/shell/flags";
import { ebb } from "./run-ebb";
import { tableForTests } from "./table";

/** The forms that pflag takes; test/e2e/kubectl.test.ts compares them with the real kubectl. */
const get = new Command("get")
  .option("-n, --namespace <name>")
  .option("-o, --output <format>")
  .option("-w, --watch")
  .option("-A, --all-namespaces")
  .option("--no-headers")
  .option("--show-events")
  .option("--no-show-events")
  .addOption(new Option("--dry-run [strategy]").preset("client"))
  .option("--from [context]");
const program = new Command("ebb").option("--table <name>").addCommand(get);

test.each<[string, string]>([
  ["-n=default", "--namespace=default"],
  ["-n default", "--namespace=default"],
  ["-ndefault", "--namespace=default"],
  ["--namespace default", "--namespace=default"],
  ["--namespace=default", "--namespace=default"],
  ["--namespace=", "--namespace="],
  ["-n=a=b", "--namespace=a=b"],
  ["-n=", "--namespace=="],
  ["-n", "--namespace"],
  ["-n -w", "--namespace=-w"],
  ["-o=json hpa web", "--output=json hpa web"],
  ["-Aw", "--all-namespaces --watch"],
  ["-Awn=x", "--all-namespaces --watch --namespace=x"],
  ["-Aw=false", "--all-namespaces"],
  ["-A=1", "--all-namespaces"],
  ["--watch=true", "--watch"],
  ["--watch=false", ""],
  ["--watch --watch=false", ""],
  ["--watch=F -w", "--watch"],
  ["--no-headers=false", ""],
  ["--no-headers=TRUE", "--no-headers"],
  ["--show-events=false", "--no-show-events"],
  ["--no-show-events=false", "--show-events"],
  ["--show-events=false --show-events", "--show-events"],
  ["--dry-run web", "--dry-run=client web"],
  ["--dry-run=server web", "--dry-run=server web"],
  ["--from prod", "--from prod"],
  ["--bogus=x -z", "--bogus=x -z"],
  ["-wz", "--watch -z"],
  ["-w -- -A=false --watch", "--watch -- -A=false --watch"],
  ["- -w=false", "-"],
])("get %s", (given, expected) => {
  const { args, verb } = readFlags(program, ["get", ...given.split(" ")]);
  expect(args).toEqual(["get", ...expected.split(" ").filter((arg) => arg !== "")]);
  expect(verb).toBe(get);
});

test("before the verb, its own flags count", () => {
  const { args } = readFlags(program, ["--table", "get", "get", "--table", "-n=x"]);
  expect(args).toEqual(["--table=get", "get", "--table", "--namespace=x"]);
});

test.each([
  ["get hpa --watch=maybe", 'error: invalid argument "maybe" for "-w, --watch" flag: expected true or false'],
  ["get hpa -Aw=", "error: unknown option '-='"],
])("%s", async (given, text) => {
  const { exitCode, stderr } = await ebb(given.split(" "));
  expect(exitCode).toBe(1);
  expect(stderr).toContain(text);
});

test.each([
  ["get", 1],
  ["diff", 2],
])("a command line that cannot be used: %s exits with %d", async (verb, code) => {
  expect(await ebb([verb, "--bogus"])).toMatchObject({ exitCode: code, stdout: "" });
  expect(await ebb([verb, "--color", "pink"])).toMatchObject({ exitCode: code, stdout: "" });
});

describe("a namespace with =", () => {
  const { run, byHand } = tableForTests();

  test("is the one that is paused", async () => {
    await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { endpoint: "https://k" } });
    const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 2 };
    await byHand({ pk: "CLUSTER#prod", sk: "HPA#default/web", spec });
    const { stdout, exitCode } = await run(["pause", "hpa", "--all", "-n=default"]);
    expect({ stdout, exitCode }).toEqual({
      stdout: "horizontalpodautoscaler.autoscaling/web paused\n",
      exitCode: 0,
    });
  });
});
