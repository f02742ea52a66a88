import { tableForTests } from "./table";
import { noLimit } from "../time/no-limit";

const { run, register, file, clear, entries } = tableForTests();

const hpa = (max: number) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: ${max}
`;
const source = "apiVersion: ebb.dev/v1\nkind: MetricSource\nmetadata: {name: jobs}\nspec: {kind: sqs}\n";

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

const diff = async (text: string, ...more: readonly string[]) =>
  run(["diff", "-f", await file(text), "--cluster", "prod", ...more]);

test("no difference: prints nothing, and exits with 0", async () => {
  await run(["apply", "-f", await file(hpa(5)), "--cluster", "prod"]);
  expect(await diff(hpa(5))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

test("prints what apply would change, as kubectl diff does, exits with 1, and writes nothing", async () => {
  await run(["apply", "-f", await file(hpa(5)), "--cluster", "prod"]);
  const { stdout, exitCode } = await diff([hpa(6), source].join("---\n"));
  const uid = / {2}uid: \S+\n/.exec(stdout)?.[0] ?? "";
  const name = "prod/autoscaling.v2.HorizontalPodAutoscaler.shop.web";
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`diff -u -N LIVE/${name} MERGED/${name}
--- LIVE/${name}
+++ MERGED/${name}
@@ -2,12 +2,12 @@
 kind: HorizontalPodAutoscaler
 metadata:
   creationTimestamp: "2026-03-01T12:00:00Z"
-  generation: 1
+  generation: 2
   name: web
   namespace: shop
 ${uid} spec:
-  maxReplicas: 5
+  maxReplicas: 6
   metrics:
   - resource:
       name: cpu
diff -u -N LIVE/prod/ebb.dev.v1.MetricSource..jobs MERGED/prod/ebb.dev.v1.MetricSource..jobs
--- LIVE/prod/ebb.dev.v1.MetricSource..jobs
+++ MERGED/prod/ebb.dev.v1.MetricSource..jobs
@@ -0,0 +1,9 @@
+apiVersion: ebb.dev/v1
+kind: MetricSource
`);
  expect(await entries().list("MetricSource", { cluster: "prod" }, noLimit())).toEqual([]);
});

test("in colour when asked", async () => {
  const { stdout } = await diff(source, "--color", "always");
  expect(stdout).toContain("\u001b[1mdiff -u -N ");
  expect(stdout).toContain("\u001b[32m+kind: MetricSource\u001b[39m\n");
});

test.each<[string, readonly string[]]>([
  ["a document that is not valid", ["-f", "-"]],
  ["a path that does not exist", ["-f", "/nowhere/x.yaml"]],
  ["a flag that there is not", ["-f", "-", "--wrong"]],
  ["no cluster", ["-f", "-"]],
])("%s is an error, not a difference: exits with 2", async (_, args) => {
  await clear("prod");
  const { exitCode, stdout, stderr } = await run(["diff", ...args], {
    stdin: _ === "no cluster" ? source : "kind: Foo\n",
  });
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error: /);
});
