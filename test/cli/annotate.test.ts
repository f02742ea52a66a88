import type { EntryRef } from "../../lib/model/ports/entries";
import { signal, tableForTests } from "./table";

const { run, register, file, entries, stored, clear, beforeNextWrite } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" };
const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
`;
const ebb = (...args: readonly string[]) => run([...args, "-n", "shop", "--cluster", "prod"]);
const said = (text: string) => ({
  stdout: `horizontalpodautoscaler.autoscaling/web ${text}\n`,
  stderr: "",
  exitCode: 0,
});
const metadata = async () => (await stored(web)).document["metadata"];

beforeEach(async () => {
  await register("prod");
  await run(["apply", "-f", await file(hpa), "--cluster", "prod"]);
});
afterEach(() => clear("prod"));

test("labels are set, protected from overwriting, changed and removed", async () => {
  expect(await ebb("label", "hpa", "web", "tier=web", "app=shop")).toEqual(said("labeled"));
  expect(await metadata()).toMatchObject({ labels: { tier: "web", app: "shop" }, generation: 1 });
  expect(await ebb("label", "hpa/web", "tier=web")).toEqual(said("not labeled"));
  expect(await ebb("label", "hpa", "web", "tier=batch")).toEqual({
    stdout: "",
    stderr: "error: 'tier' already has a value (web), and --overwrite is false\n",
    exitCode: 1,
  });
  expect(await ebb("label", "hpa", "--all", "--overwrite", "tier=batch", "app-")).toEqual(said("labeled"));
  expect(await metadata()).toMatchObject({ labels: { tier: "batch" } });
  expect(await ebb("label", "hpa", "-l", "tier=batch", "tier-")).toEqual(said("unlabeled"));
  expect(await metadata()).not.toHaveProperty("labels");
});

test("annotations may hold anything", async () => {
  expect(await ebb("annotate", "hpa", "web", "note=a = b", "empty=")).toEqual(said("annotated"));
  expect(await metadata()).toMatchObject({ annotations: { note: "a = b", empty: "" } });
});

test.each<[string, string, string]>([
  [
    "a bad value",
    "ebb.dev/paused=maybe",
    'metadata.annotations[ebb.dev/paused]: Invalid value: "maybe": must be "true"',
  ],
  ["a misspelt name", "ebb.dev/pause=true", 'unknown annotation of ebb, did you mean "ebb.dev/paused"?'],
])("%s of ebb's annotations is refused and changes nothing", async (_, change, message) => {
  const ran = await ebb("annotate", "hpa", "web", "note=x", change);
  expect(ran).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining(message) as string });
  expect(await metadata()).not.toHaveProperty("annotations");
});

test("an annotation that cannot be read is removed like any other, and does not block the others", async () => {
  const read = await stored(web);
  const { document } = read;
  const broken = { ...(document["metadata"] as object), annotations: { "ebb.dev/pause": "true" } };
  await entries().put({ ref: web, document: { ...document, metadata: broken } }, read, signal);
  expect((await ebb("get", "hpa", "web")).stdout).toMatch(/<invalid> +metadata\.annotations\[ebb\.dev\/pause\]/);
  expect(await ebb("annotate", "hpa", "web", "note=x")).toEqual(said("annotated"));
  expect(await ebb("annotate", "hpa", "web", "ebb.dev/pause-")).toEqual(said("annotated"));
  expect(await metadata()).toMatchObject({ annotations: { note: "x" } });
});

test("a value set meanwhile is not overwritten", async () => {
  beforeNextWrite(() => ebb("label", "hpa", "web", "tier=theirs"));
  expect((await ebb("label", "hpa", "web", "tier=mine")).stderr).toBe(
    "error: 'tier' already has a value (theirs), and --overwrite is false\n",
  );
  expect(await metadata()).toMatchObject({ labels: { tier: "theirs" } });
});

test.each<[string, readonly string[], string]>([
  ["nothing to change", ["label", "hpa", "web"], "at least one label update is required"],
  [
    "a name after a change",
    ["annotate", "hpa", "a=b", "web"],
    "all resources must be specified before annotation changes: web",
  ],
  ["an invalid label", ["label", "hpa", "web", "a=b c"], 'metadata.labels: Invalid value: "b c"'],
])("refused: %s", async (_, args, message) => {
  const { stdout, stderr, exitCode } = await ebb(...args);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(message);
});
