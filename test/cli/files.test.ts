import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tableForTests } from "./table";

const { byHand, file, folder, run } = tableForTests();
const path = process.env["PATH"];

beforeAll(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
});
afterEach(() => (process.env["PATH"] = path));

const hpa = (name: string) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, maxReplicas: 3 }
`;

/** What \`helm template\` prints of a chart, as far as ebb is concerned. */
const rendering = [
  "# Source: shop/templates/service.yaml\napiVersion: v1\nkind: Service\nmetadata: { name: shop }\n",
  "# Source: shop/templates/deployment.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: shop }\n",
  "# Source: shop/templates/empty.yaml\n",
  hpa("shop"),
  "apiVersion: v1\nkind: List\nitems:\n- { apiVersion: apps/v1, kind: Deployment, metadata: { name: other } }\n",
  "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: { name: theirs }\n",
].join("---\n");

const skipped = "skipped 4 objects of other kinds: 1 Cluster, 2 Deployment, 1 Service\n";
const shop = "horizontalpodautoscaler.autoscaling/shop";

describe("a Helm rendering", () => {
  test.each<[string, string]>([
    ["apply --dry-run -f", `${shop} created (dry run)\n`],
    ["apply -f", `${shop} created\n`],
    ["apply -f", `${shop} unchanged\n`],
    ["diff -f", ""],
    ["delete --dry-run -f", 'horizontalpodautoscaler.autoscaling "shop" deleted from default namespace (dry run)\n'],
  ])("%s takes the HPA and counts the others in a line", async (verb, stdout) => {
    const given = await file(rendering);
    expect(await run([...verb.split(" "), given])).toEqual({ stdout, stderr: skipped, exitCode: 0 });
  });

  test("standard input as well", async () => {
    expect(await run(["apply", "--dry-run", "-f", "-"], { stdin: rendering })).toMatchObject({ stderr: skipped });
  });

  test("without any object of ours, there is nothing to apply", async () => {
    const given = await file("apiVersion: v1\nkind: Service\nmetadata: { name: a }\n");
    expect(await run(["apply", "-f", given])).toEqual({
      stdout: "",
      stderr: "skipped 1 object of another kind: 1 Service\nerror: no objects passed to apply\n",
      exitCode: 1,
    });
  });

  test.each([
    ["a kind without apiVersion", "kind: HorizontalPodAutoscalr\nmetadata: { name: a }\n"],
    ["a misspelt kind of ours", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscalr\nmetadata: { name: a }\n"],
    ["a wrong version of ours", hpa("a").replace("autoscaling/v2", "apps/v1")],
    ["a misspelt kind of ebb's", "apiVersion: ebb.dev/v1\nkind: MetricSurce\nmetadata: { name: a }\n"],
  ])("%s is an error, not skipped", async (_, text) => {
    const { stderr, exitCode } = await run(["apply", "-f", await file(`${rendering}---\n${text}`)]);
    expect(stderr).toMatch(/is invalid: (kind|apiVersion): Unsupported value/);
    expect(exitCode).toBe(1);
  });
});

const scaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: worker }
spec:
  scaleTargetRef: { name: worker }
  minReplicaCount: 1
  maxReplicaCount: 4
  triggers:
  - { type: cpu, metricType: Utilization, metadata: { value: "60" } }
`;

describe("a ScaledObject", () => {
  test("is skipped, and the line names the flag", async () => {
    const { stdout, stderr } = await run(["apply", "--dry-run", "-f", await file(`${scaledObject}---\n${hpa("a")}`)]);
    expect(stdout).toBe("horizontalpodautoscaler.autoscaling/a created (dry run)\n");
    expect(stderr).toBe("skipped 1 object of another kind: 1 ScaledObject; --import-keda converts ScaledObjects\n");
  });

  test.each(["apply", "diff"])("%s --import-keda converts it", async (verb) => {
    const { stdout, stderr } = await run([verb, "--import-keda", "-f", await file(scaledObject), ...dry(verb)]);
    expect(stdout).toMatch(/keda-hpa-worker|worker/);
    expect(stderr).not.toContain("skipped");
  });
});

describe("TriggerAuthentications of ScaledObjects", () => {
  const authentication = (kind: string, metadata: string) => `apiVersion: keda.sh/v1alpha1
kind: ${kind}
metadata: { name: auth${metadata} }
spec: { secretTargetRef: [{ parameter: password, name: s, key: k }] }
`;
  const reads = (kind: string) => `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: worker, namespace: shop }
spec:
  scaleTargetRef: { name: worker }
  triggers:
  - type: redis
    metadata: { address: "r:6379", listName: l, enableTLS: "true" }
    authenticationRef: { name: auth, kind: ${kind} }
`;
  const found = "was in the Secret s, key k: put it into a secret as password, and name that in the entry";
  const unknown = "auth is not carried over: put its credentials into a secret, and name it in the source";

  test.each<[string, string, string, string]>([
    ["in the namespace of the ScaledObject", "TriggerAuthentication", ", namespace: shop", found],
    ["in the command's namespace", "TriggerAuthentication", "", found],
    ["of the cluster", "ClusterTriggerAuthentication", "", found],
    ["in another namespace", "TriggerAuthentication", ", namespace: other", unknown],
  ])("%s, in another file: each setting's place is said", async (_, kind, metadata, said) => {
    const [object, its] = [await file(reads(kind)), await file(authentication(kind, metadata))];
    const applied = await run(["apply", "--dry-run", "--import-keda", "-f", object, "-f", its, "-n", "shop"]);
    expect(applied.stderr).toContain(said);
    expect(applied.stderr).toContain(`${its}:1:1: ${kind} is left out: in ebb, each source names its own secret`);
    expect(applied.stderr).not.toContain("skipped");
    const imported = await run(["import", "keda", object, its, "-n", "shop"]);
    expect(imported.stderr).toContain(said);
  });

  test("a ScaledJob is left out, and why is said", async () => {
    const job = scaledObject.replace("ScaledObject", "ScaledJob");
    const { stderr } = await run([
      "apply",
      "--dry-run",
      "--import-keda",
      "-f",
      await file(`${scaledObject}---\n${job}`),
    ]);
    expect(stderr).toContain("ScaledJob is left out: it starts Jobs, and ebb scales only workloads with replicas");
  });
});

function dry(verb: string): readonly string[] {
  return verb === "apply" ? ["--dry-run"] : [];
}

describe("which files", () => {
  const created = (...names: readonly string[]) =>
    names.map((name) => `horizontalpodautoscaler.autoscaling/${name} created (dry run)\n`).join("");

  test("-f is repeated, and takes several separated by commas", async () => {
    const [a, b, c] = [await file(hpa("a")), await file(hpa("b")), await file(hpa("c"))];
    const { stdout } = await run(["apply", "--dry-run", "-f", `${a},${b}`, `--filename=${c}`]);
    expect(stdout).toBe(created("a", "b", "c"));
  });

  test.each<[string, readonly string[], string]>([
    ["none", [], "error: must specify one of -f and -k\n"],
    ["both", ["-f", "a", "-k", "b"], "error: only one of -f or -k can be specified, and -k cannot be used with -R\n"],
    ["-k with -R", ["-R", "-k", "b"], "error: only one of -f or -k can be specified, and -k cannot be used with -R\n"],
  ])("%s", async (_, flags, stderr) => {
    expect(await run(["apply", ...flags])).toEqual({ stdout: "", stderr, exitCode: 1 });
    expect(await run(["diff", ...flags])).toEqual({ stdout: "", stderr, exitCode: 2 });
  });

  /** Puts programs into a folder that is the whole PATH. */
  function onPath(programs: Readonly<Record<string, string>>): void {
    const bin = join(folder(), `bin-${Object.keys(programs).join("-")}`);
    mkdirSync(bin, { recursive: true });
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    process.env["PATH"] = bin;
  }

  const render = `printf '%s\\n' '${hpa("kustomized")}'`;

  test.each<[string, Record<string, string>]>([
    ["kubectl", { kubectl: `[ "$1 $2 $3" = "kustomize -- overlay" ] && ${render}` }],
    ["kustomize", { kustomize: `[ "$1 $2 $3" = "build -- overlay" ] && ${render}` }],
  ])("-k runs %s", async (_, programs) => {
    onPath(programs);
    expect(await run(["apply", "--dry-run", "-k", "overlay"])).toMatchObject({ stdout: created("kustomized") });
  });

  test("-k says what went wrong", async () => {
    onPath({ kubectl: "echo 'error: no kustomization.yaml in overlay' >&2; exit 1" });
    const { stderr, exitCode } = await run(["apply", "-k", "overlay"]);
    expect(stderr).toBe("error: -k overlay: kubectl kustomize failed: error: no kustomization.yaml in overlay\n");
    expect(exitCode).toBe(1);
    process.env["PATH"] = "/nowhere";
    expect((await run(["apply", "-k", "overlay"])).stderr).toBe(
      "error: -k overlay: needs kubectl or kustomize on the PATH, which has neither\n",
    );
  });
});

describe("a URL", () => {
  let server: Server;
  let answer: RequestListener;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hpa.yaml`;
  });
  afterAll(() => server.close());
  const apply = () => run(["apply", "--dry-run", "-f", url]);

  test("is read, through redirects", async () => {
    answer = ({ url: asked }, response) =>
      asked === "/hpa.yaml" ? response.writeHead(302, { location: "/there" }).end() : response.end(hpa("far"));
    expect((await apply()).stdout).toBe("horizontalpodautoscaler.autoscaling/far created (dry run)\n");
  });

  test("a server error is tried again", async () => {
    let asked = 0;
    answer = (_, response) => (++asked < 3 ? response.writeHead(503).end() : response.end(hpa("far")));
    expect((await apply()).exitCode).toBe(0);
    expect(asked).toBe(3);
  });

  test.each<[string, RequestListener, string]>([
    ["not there", (_, response) => response.writeHead(404).end(), "server reported 404 Not Found, status code=404"],
    [
      "redirects without end",
      (_, response) => response.writeHead(302, { location: "/again" }).end(),
      "stopped after 10 redirects",
    ],
    [
      "a redirect to a file",
      (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
      "it redirects to file:///etc/passwd: expected an https URL",
    ],
    [
      "without end",
      (_, response) => {
        const more = () =>
          response.write(Buffer.alloc(1 << 20, "#"), (error) => !error && !response.destroyed && more());
        more();
      },
      "expected at most 32 MB, got more",
    ],
    ["hangs up", (request) => request.socket.destroy(), "other side closed"],
  ])("%s", async (_, listener, text) => {
    answer = listener;
    expect(await apply()).toEqual({ stdout: "", stderr: `error: unable to read URL "${url}": ${text}\n`, exitCode: 1 });
  });
});

describe("what cannot be read", () => {
  const valid = (name: string) => `horizontalpodautoscaler.autoscaling/${name} valid\n`;
  const strange = () => {
    const given = join(folder(), "strange");
    mkdirSync(given);
    writeFileSync(join(given, "a.yaml"), hpa("a"));
    symlinkSync("../strange", join(given, "again"));
    symlinkSync("nowhere.yaml", join(given, "b.yaml"));
    symlinkSync("c.yaml", join(given, "c.yaml"));
    symlinkSync("nowhere", join(given, "no-yaml"));
    execFileSync("mkfifo", [join(given, "d.yaml")]);
    writeFileSync(join(given, "e.yaml"), hpa("e"));
    return given;
  };

  test("in a folder is named, and the others are checked", async () => {
    const given = strange();
    const { stdout, stderr, exitCode } = await run(["validate", "-R", "-f", given]);
    expect([stdout, exitCode]).toEqual([valid("a") + valid("e"), 1]);
    expect(stderr.replaceAll(given, "")).toBe(
      'error: the path "/b.yaml" does not exist\n' +
        `error: the path "/c.yaml" cannot be read: ELOOP: too many symbolic links encountered, stat '/c.yaml'\n` +
        'error: the path "/d.yaml" cannot be read: expected a file in a folder, got a FIFO, socket or device\n',
    );
    const imported = await run(["import", "keda", given]);
    expect(imported.stderr.match(/Warning: the path/g)).toHaveLength(3);
    expect(imported.stderr).toContain("HorizontalPodAutoscaler default/e is left out");
    expect(await run(["apply", "-f", given])).toMatchObject({ stdout: "", exitCode: 1 });
  });

  test("beside others is named, and they are checked", async () => {
    const [missing, good] = [join(folder(), "missing.yaml"), await file(hpa("good"))];
    expect(await run(["validate", missing, good])).toEqual({
      stdout: valid("good"),
      stderr: `error: the path "${missing}" does not exist\n`,
      exitCode: 1,
    });
  });

  test("is larger than what fits into memory as YAML", async () => {
    const given = await file("#".repeat((32 << 20) + 1));
    expect(await run(["validate", given])).toEqual({
      stdout: "",
      stderr: `error: ${given}: expected at most 32 MB, got more: split it\n`,
      exitCode: 1,
    });
  });

  test("standard input, a second time", async () => {
    for (const command of [["validate"], ["apply"], ["import", "keda"]])
      expect(await run([...command, "-f", "-", "-f", "-"], { stdin: hpa("a") })).toEqual({
        stdout: "",
        stderr: "error: standard input can be read only once, got -f - twice\n",
        exitCode: 1,
      });
  });
});
