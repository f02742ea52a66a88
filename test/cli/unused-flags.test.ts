import { tableForTests } from "./table";

/** Flags that do not fit what else is on the command line. Ignored, they would mislead the user. */

const { run, file, byHand, stored, register, folder } = tableForTests();

const hpa = (name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name, labels },
  spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
});

let both = "";

beforeAll(async () => {
  await register("prod");
  both = await file(
    [hpa("web", { app: "web" }), hpa("api", { app: "api" })].map((one) => JSON.stringify(one)).join("\n---\n"),
    "both.yaml",
  );
});
beforeEach(() => run(["apply", "-f", both]));

const atTheSameTime = "cannot set --all and --selector at the same time";

test.each([
  ["explain hpa web -R", "--recursive works with a field, as in `ebb explain hpa.spec --recursive`, or with -f FOLDER"],
  ["explain hpa/web --recursive", "--recursive works with a field"],
  ["explain hpa.spec --at 03:00", "missing required argument 'name': only the decisions of an HPA have a time"],
  ["explain hpa.spec -o json", "missing required argument 'name': only the decisions of an HPA have a time"],
  ["validate --jsonl -R folder", "option '--jsonl' cannot be used with option '-R, --recursive'"],
  ["validate --jsonl --import-keda FILE", "option '--jsonl' cannot be used with option '--import-keda'"],
  ["validate --line-limit 2 FILE", "--line-limit is for --jsonl: add it"],
  ["validate --jsonl --line-limit 0 FILE", "option '--line-limit <MiB>' argument '0' is invalid"],
  ["evaluate --line-limit 1.5 FILE", "option '--line-limit <MiB>' argument '1.5' is invalid"],
  ["label hpa --all -l app=web tier=a", atTheSameTime],
  ["annotate hpa --all -l app=web team=a", atTheSameTime],
  ["pause hpa --all -l app=web", atTheSameTime],
  ["resume hpa --all -l app=web", atTheSameTime],
  ["dry-run hpa --all -l app=web on", atTheSameTime],
  ["delete hpa --all -l app=web", atTheSameTime],
  ["pause -f FILE -l app=web", "name cannot be provided when a selector or --all is specified"],
  ["get -f FILE -l app=web", "name cannot be provided when a selector is specified"],
  ["wait hpa web --all --for=delete", "name cannot be provided when a selector or --all is specified"],
  ["wait -f FILE --all --for=delete", "name cannot be provided when a selector or --all is specified"],
  ["label hpa web --list -o json", "--list and --output may not be specified together"],
  ["annotate hpa web --list -o json", "--list and --output may not be specified together"],
  ["import keda FILE -A", "-A, --kubeconfig and --kube-context read a cluster: leave them out, or the files"],
  ["import keda FILE --kube-context dev", "-A, --kubeconfig and --kube-context read a cluster"],
  ["doctor prod --cluster dev", "there are two clusters, prod and --cluster dev: leave one of them out"],
  ["rbac prod --cluster dev", "there are two clusters, prod and --cluster dev: leave one of them out"],
  ["init --region eu-west-1 FOLDER", "--region: only an EKS cluster has this: give --eks NAME, too"],
  ["init --region eu-west-1 --role-arn a FOLDER", "--region and --role-arn: only an EKS cluster has this"],
  ["autoscale deployment web --max 3 --per-replica 5", "--per-replica and --queue-region need --sqs"],
  ["get hpa --types Warning", "--for and --types work only with `get events`"],
])("ebb %s", async (line, message) => {
  const args = line.split(" ").map((word) => ({ FILE: both, FOLDER: folder() })[word] ?? word);
  const { stdout, stderr, exitCode } = await run(args);
  expect(stderr).toContain(`error: ${message}`);
  expect([stdout, exitCode]).toEqual(["", 1]);
});

const ref = (name: string) =>
  ({ kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "default", name }) as const;

test("delete -f deletes only what -l selects, as kubectl does", async () => {
  expect(await run(["delete", "-f", both, "-l", "app=web"])).toEqual({
    stdout: 'horizontalpodautoscaler.autoscaling "web" deleted from default namespace\n',
    stderr: "",
    exitCode: 0,
  });
  expect((await stored(ref("api"))).ref.name).toBe("api");
  const none = { stdout: "No resources found\n", stderr: "", exitCode: 0 };
  expect(await run(["delete", "-f", both, "-l", "app=none"])).toEqual(none);
  expect(await run(["delete", "-f", both, "-l", "app=,,"])).toMatchObject({ stdout: "", exitCode: 1 });
});

test("status -n counts the HPAs of one namespace, a context's namespace does not", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/bad", spec: { maxReplicas: 0 } });
  const hpas = async (...args: readonly string[]) => {
    const { stdout } = await run(["status", "-o", "json", ...args], { env: { EBB_NAMESPACE: "default" } });
    const { clusters } = JSON.parse(stdout) as { clusters: readonly { hpas: number; failing: readonly object[] }[] };
    return clusters.map(({ hpas: count, failing }) => [count, failing.length]);
  };
  expect(await hpas()).toEqual([[3, 1]]);
  expect(await hpas("-n", "shop")).toEqual([[1, 1]]);
  expect(await hpas("-n", "default")).toEqual([[2, 0]]);
});
