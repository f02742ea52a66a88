import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { inCheckout } from "./servers/checkout";
import { installed, installedProgram } from "./servers/installed";

/**
 * What users have, kubectl and the official Python client, on the cluster that `ebb start` keeps. Each kubectl command
 * also runs on a kube-apiserver, and prints the same.
 */
const directory = mkdtempSync(join(tmpdir(), "ebb-e2e-local-kubernetes-"));
const kubeconfig = join(directory, ".ebb", "kubeconfig");
let demo: ChildProcess;
let apiServer: ApiServer;

beforeAll(async () => {
  apiServer = await startApiServer();
  demo = spawn(process.execPath, ["dist/ebb.js", "start", "--directory", join(directory, ".ebb")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (demo.stdout === null) throw new Error("expected the demo's output");
  for await (const line of createInterface({ input: demo.stdout })) if (/stop {6}Ctrl-C/.test(line)) break;
  demo.stdout.resume();
});

afterAll(async () => {
  demo.kill("SIGINT");
  await once(demo, "exit");
  await apiServer.stop();
  rmSync(directory, { recursive: true, force: true });
});

const execute = promisify(execFile);

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** @param input what the command reads from a file, whose name replaces FILE */
async function kubectl(config: string, line: string, input = ""): Promise<Printed> {
  const file = join(directory, "input.yaml");
  writeFileSync(file, input);
  const args = ["--kubeconfig", config, "--cache-dir", join(directory, "cache"), ...line.split(" ")];
  const given = args.map((arg) => (arg === "FILE" ? file : arg));
  return await execute(installed().kubectl, given, { maxBuffer: 1 << 26 }).then(
    ({ stdout, stderr }) => ({ stdout, stderr, exitCode: 0 }),
    ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
      stdout,
      stderr,
      exitCode: code,
    }),
  );
}

const manifest = (spec: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: applied, namespace: tools }
spec:
  ${spec}
  selector: { matchLabels: { app: applied } }
  template:
    metadata: { labels: { app: applied } }
    spec: { containers: [{ name: main, image: example.com/main:1 }] }
`;

/** In this order: each works on what the one before left. */
const commands: readonly (readonly [string, string?])[] = [
  ["create namespace tools"],
  ["create namespace tools"],
  ["create deployment web --image=example.com/web:1 --replicas=2 --port=8080 -n tools"],
  ["create deployment web --image=example.com/web:1 -n tools"],
  ["get deployment web -n tools -o jsonpath={.spec}"],
  ["get deployment web -n tools -o jsonpath={.metadata.labels}"],
  ["run pod --image=example.com/web:1 --restart=Never -n tools"],
  ["auth can-i delete deployments -n tools"],
  ["auth can-i create deployments/scale -n tools"],
  ["explain deployment"],
  ["explain deployment.spec.strategy.rollingUpdate"],
  ["explain pod.spec.containers.resources --recursive"],
  ["explain statefulsets.spec.template.spec.volumes"],
  ["explain deployment.spec.nothing"],
  ["explain customresourcedefinitions.spec.names"],
  [
    "get namespaces -o name --chunk-size=1 --field-selector metadata.name!=kube-public,metadata.name!=kube-node-lease,metadata.name!=shop",
  ],
  ["apply -f FILE", manifest("replicas: 3")],
  ["apply -f FILE", manifest("replicas: 4")],
  ["apply -f FILE", manifest("replicas: 4")],
  ["diff -f FILE", manifest("replicas: 4")],
  ["apply --dry-run=server -f FILE", manifest("replicas: 9")],
  ["apply -f FILE", manifest("replicaz: 5")],
  ["apply --validate=warn -f FILE", manifest("replicaz: 5")],
  ["apply --validate=ignore -f FILE", manifest("replicaz: 5")],
  ["create -f FILE", manifest("paused: sometimes").replace("applied, namespace", "typed, namespace")],
  ["get deployments -n tools --field-selector spec.replicas=4"],
  ["get pods -n tools --field-selector spec.nothing=4"],
  ["scale deployment applied --replicas=6 -n tools"],
  ["get deployment applied -n tools --subresource=scale -o jsonpath={.spec.replicas}"],
  ["label deployment applied tier=back -n tools"],
  ["annotate deployment applied note=x -n tools"],
  ['patch deployment applied -n tools --type=json -p [{"op":"replace","path":"/spec/replicas","value":1}]'],
  ['patch deployment applied -n tools -p {"spec":{"template":{"spec":{"containers":[{"name":"side","image":"b"}]}}}}'],
  ["set image deployment/applied main=example.com/main:2 -n tools"],
  ["delete deployment applied -n tools --dry-run=server"],
  ["delete deployment applied -n tools --cascade=orphan --wait=false"],
  ["delete namespace default --dry-run=server"],
  ["get deployment none -n tools"],
  ["get --raw /apis/apps/v1/namespaces/tools/deployments/none"],
  ["delete --raw /apis/apps/v1/deployments"],
];

/** Kubernetes' descriptions of fields are not recorded: the GROUP, KIND and VERSION, and each field with its type. */
const structureOf = (explained: string) =>
  explained
    .split("\n")
    .filter((line) => /^(GROUP|KIND|VERSION|FIELD)|^\s*\S+\t</.test(line))
    .join("\n");

/** Without what two servers cannot have in common. */
const comparable = ({ stdout, stderr, exitCode }: Printed, at: string) => ({
  stdout: stdout.replaceAll(join(directory, "input.yaml"), "FILE"),
  stderr: stderr.replaceAll(at, "SERVER").replaceAll(join(directory, "input.yaml"), "FILE"),
  exitCode,
});

test("each kubectl command prints on the embedded server what it prints on kube-apiserver", async () => {
  const [real, own]: unknown[][] = [[], []];
  const printed = async (at: string, line: string, input: string | undefined) => {
    const found = comparable(await kubectl(at, line, input), at);
    return { line, ...found, ...(line.startsWith("explain") && { stdout: structureOf(found.stdout) }) };
  };
  for (const [line, input] of commands) {
    real?.push(await printed(apiServer.kubeconfig, line, input));
    own?.push(await printed(kubeconfig, line, input));
  }
  expect(own).toEqual(real);
});

test("server-side apply is refused in one sentence, and changes nothing", async () => {
  const before = await kubectl(kubeconfig, "get deployment web -n tools -o yaml");
  const body = manifest("replicas: 7").replaceAll("applied", "web");
  const { stdout, stderr, exitCode } = await kubectl(kubeconfig, "apply --server-side -f FILE", body);
  expect({ stdout, stderr, exitCode }).toEqual({
    stdout: "",
    stderr:
      "error: Server-side apply not available on the server: (expected a patch of another type than apply, " +
      "which the embedded API server does not have: use `kubectl apply` without --server-side)\n",
    exitCode: 1,
  });
  const spec = (text: string) => text.slice(text.indexOf("\nspec:"), text.indexOf("\nstatus:"));
  const after = await kubectl(kubeconfig, "get deployment web -n tools -o yaml");
  expect(spec(after.stdout)).toBe(spec(before.stdout));
});

test("what is recorded of Kubernetes' kinds is what the sources of the suite's version say", async () => {
  const fresh = join(directory, "schemas");
  mkdirSync(fresh);
  await execute(process.execPath, [inCheckout("scripts/kubernetes-schemas.mjs"), fresh]);
  for (const file of ["openapi.json", "protobuf.json"]) {
    const recorded = readFileSync(inCheckout("local/backends/kubernetes/schemas", file), "utf8");
    expect(readFileSync(join(fresh, file), "utf8") === recorded).toBe(true);
  }
});

test("kubectl auth can-i --list, whoami, and a page of a list", async () => {
  expect((await kubectl(kubeconfig, "auth can-i --list -n tools --no-headers")).stdout).toMatch(
    /^\*\.\* +\[\] +\[\] +\[\*\]\n$/,
  );
  expect((await kubectl(kubeconfig, "auth whoami -o jsonpath={.status.userInfo.username}")).stdout).toBe("admin");
  const page = await kubectl(kubeconfig, "get --raw /api/v1/namespaces?limit=1");
  expect(JSON.parse(page.stdout)).toMatchObject({ items: [{}], metadata: { continue: expect.any(String) as string } });
});

test("the official Python client works as on a cluster", async () => {
  const script = inCheckout("test/e2e/servers/kubernetes-client.py");
  for (const config of [kubeconfig, apiServer.kubeconfig]) {
    const { stdout } = await execute(installedProgram("kubernetesPython"), [script, config]);
    expect(stdout.trim().split("\n")).toEqual([
      "created py 2",
      "scaled 5",
      "patched 3",
      "pages ['a', 'b', 'c', 'd'] in 2",
      "watched ADDED e",
      "review True",
      "unknown field 400 BadRequest",
      "field selector 400 BadRequest",
      "conflict 409 Conflict",
      "missing 404 NotFound",
      "dry run kept py",
      "deleted",
    ]);
  }
});
