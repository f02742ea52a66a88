import type { EntryRef } from "../../lib/model/ports/entries";
import { tableForTests } from "./table";

const { byHand, run, file, stored, clear } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "default", name: "web" };
const hpa = (name: string) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, maxReplicas: 5 }
`;
const objects = `${hpa("web")}---\n${hpa("orders")}`;
const object = "horizontalpodautoscaler.autoscaling";
const metadata = async () => (await stored(web)).document["metadata"];

beforeEach(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  await run(["apply", "-f", await file(objects)]);
});
afterEach(() => clear("prod"));

test.each<[string, string]>([
  ["label hpa web a=b", "labeled"],
  ["annotate hpa web a=b", "annotated"],
  ["pause hpa web", "paused"],
  ["resume hpa web", "not paused"],
  ["dry-run hpa web on", "dry run on"],
])("ebb %s --dry-run writes nothing", async (line, said) => {
  const before = await metadata();
  const ran = (strategy: string) => run([...line.split(" "), `--dry-run=${strategy}`]);
  expect(await ran("client")).toEqual({ stdout: `${object}/web ${said} (dry run)\n`, stderr: "", exitCode: 0 });
  expect(await ran("server")).toMatchObject({ stdout: `${object}/web ${said} (server dry run)\n` });
  expect(await metadata()).toEqual(before);
});

test("ebb label -o prints the objects", async () => {
  expect((await run(["label", "hpa", "web", "orders", "a=b", "-o", "name"])).stdout).toBe(
    `${object}/web\n${object}/orders\n`,
  );
  expect((await run(["label", "hpa", "web", "a=c", "--overwrite", "-o", "jsonpath={.metadata.labels}"])).stdout).toBe(
    '{"a":"c"}',
  );
  expect((await run(["pause", "hpa", "--all", "-o", "yaml"])).stdout.split("---\n")).toHaveLength(2);
});

test("ebb label --list prints the labels, after the changes", async () => {
  expect((await run(["label", "hpa", "web", "tier=batch", "app=web", "--list"])).stdout).toBe("app=web\ntier=batch\n");
  expect((await run(["label", "hpa", "web", "orders", "--list"])).stdout).toBe(
    "Listing labels for HorizontalPodAutoscaler.autoscaling/web:\n app=web\n tier=batch\n" +
      "Listing labels for HorizontalPodAutoscaler.autoscaling/orders:\n",
  );
  expect((await run(["annotate", "hpa", "orders", "--list"])).stdout).toBe("");
  expect((await run(["label", "hpa", "web", "x=y", "--list", "--dry-run"])).stdout).toContain("x=y\n");
  expect(await metadata()).toMatchObject({ labels: { app: "web", tier: "batch" } });
});

test.each<[string, string]>([
  ["label a=b", "labeled"],
  ["annotate a=b", "annotated"],
  ["pause", "paused"],
  ["resume", "not paused"],
  ["dry-run on", "dry run on"],
])("ebb %s -f is about the objects of a file", async (line, said) => {
  const given = await file(objects);
  expect((await run([...line.split(" "), "-f", given])).stdout).toBe(
    `${object}/web ${said}\n${object}/orders ${said}\n`,
  );
});

test("pause -f refuses what is no HPA", async () => {
  const cluster = await file(
    "apiVersion: ebb.dev/v1\nkind: Cluster\nmetadata: { name: prod }\nspec: { auth: { type: kubeconfig, file: x } }\n",
  );
  expect(await run(["pause", "-f", cluster])).toMatchObject({
    stderr: "error: pause works only on hpa, not on clusters\n",
  });
});

test.each(["pause", "label", "dry-run"])("ebb %s without anything says what it needs", async (verb) => {
  const { stderr, exitCode } = await run([verb]);
  expect(stderr).toMatch(/You must specify|at least one label|expected on or off/);
  expect(exitCode).toBe(1);
});
