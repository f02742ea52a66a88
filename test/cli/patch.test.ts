import type { EntryRef } from "../../lib/model/ports/entries";
import { applyPatch } from "../../cli/write/apply-patch";
import { tableForTests } from "./table";

const { byHand, run, file, stored, clear, beforeNextWrite } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "default", name: "web" };
const hpa = (name: string) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 5
`;
const object = "horizontalpodautoscaler.autoscaling";
const spec = async () => (await stored(web)).document["spec"] as Readonly<Record<string, unknown>>;
const patch = (...args: readonly string[]) => run(["patch", ...args]);

beforeEach(async () => {
  await byHand({
    pk: "CLUSTER#prod",
    sk: "CLUSTER",
    spec: { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } },
  });
  await run(["apply", "-f", await file(`${hpa("web")}---\n${hpa("orders")}`)]);
});
afterEach(() => clear("prod"));

const said = (text: string) => ({ stdout: `${object}/web ${text}\n`, stderr: "", exitCode: 0 });

test("a patch changes what it names, and the same patch changes nothing", async () => {
  expect(await patch("hpa", "web", "-p", '{"spec":{"maxReplicas":7}}')).toEqual(said("patched"));
  expect((await stored(web)).document).toMatchObject({ metadata: { generation: 2 }, spec: { maxReplicas: 7 } });
  expect(await patch("hpa", "web", "-p", "spec: { maxReplicas: 7 }")).toEqual(said("patched (no change)"));
  expect((await stored(web)).document).toMatchObject({ metadata: { generation: 2 } });
});

test.each<[string, readonly string[], object]>([
  ["strategic, with a list", ["-p", '{"spec":{"metrics":[]}}'], { maxReplicas: 5 }],
  ["merge", ["--type=merge", "-p", '{"spec":{"minReplicas":2}}'], { minReplicas: 2, maxReplicas: 5 }],
  ["json", ["--type=json", "-p", '[{"op":"replace","path":"/spec/maxReplicas","value":9}]'], { maxReplicas: 9 }],
  ["--type in capitals", ["--type=MERGE", "-p", '{"spec":{"maxReplicas":6}}'], { maxReplicas: 6 }],
])("%s", async (_, flags, expected) => {
  expect((await patch("hpa", "web", ...flags)).exitCode).toBe(0);
  expect(await spec()).toMatchObject(expected);
});

test("a patch from a file, for the objects of a file", async () => {
  const change = await file('{"metadata":{"labels":{"tier":"batch"}}}', "change.json");
  const objects = await file(`${hpa("orders")}---\n${hpa("web")}`);
  expect((await patch("-f", objects, "--patch-file", change, "-o", "name")).stdout).toBe(
    `${object}/orders\n${object}/web\n`,
  );
  expect((await stored(web)).document["metadata"]).toMatchObject({ labels: { app: "web", tier: "batch" } });
});

test("a dry run writes nothing, and prints what it would write", async () => {
  const { stdout } = await patch("hpa", "web", "-p", '{"spec":{"maxReplicas":7}}', "--dry-run=server", "-o", "yaml");
  expect(stdout).toContain("maxReplicas: 7\n");
  expect(await patch("hpa", "web", "-p", '{"spec":{"maxReplicas":7}}', "--dry-run")).toEqual(said("patched (dry run)"));
  expect(await spec()).toMatchObject({ maxReplicas: 5 });
});

test("what somebody else writes meanwhile stays", async () => {
  beforeNextWrite(() => run(["label", "hpa", "web", "tier=theirs"]));
  expect(await patch("hpa", "web", "-p", '{"spec":{"maxReplicas":7}}')).toEqual(said("patched"));
  expect((await stored(web)).document).toMatchObject({
    metadata: { labels: { tier: "theirs" } },
    spec: { maxReplicas: 7 },
  });
});

test("clusters and sources, too", async () => {
  expect((await patch("cluster", "prod", "-p", '{"spec":{"options":{"syncPeriodSeconds":30}}}')).stdout).toBe(
    "cluster.ebb.dev/prod patched\n",
  );
});

test.each<[string, readonly string[], string]>([
  ["no patch", ["hpa", "web"], "error: must specify --patch or --patch-file containing the contents of the patch\n"],
  [
    "two patches",
    ["hpa", "web", "-p", "{}", "--patch-file", "x"],
    "error: cannot specify --patch and --patch-file together\n",
  ],
  [
    "no name",
    ["hpa", "-p", "{}"],
    "error: resource(s) were provided, but no name was specified: name them, or use --all or -l SELECTOR\n",
  ],
  [
    "a missing file",
    ["hpa", "web", "--patch-file", "/nope"],
    'error: unable to read patch file: the path "/nope" does not exist\n',
  ],
  [
    "a type that there is not",
    ["hpa", "web", "--type=bogus", "-p", "{}"],
    'error: --type must be one of [json merge strategic], not "bogus"\n',
  ],
  ["half a patch", ["hpa", "web", "-p", "{a"], "error: unable to parse the patch: "],
  [
    "a list",
    ["hpa", "web", "-p", "[]"],
    "Error from server (BadRequest): json: cannot unmarshal array into Go value of type map[string]interface {}\n",
  ],
  [
    "another name",
    ["hpa", "web", "-p", '{"metadata":{"name":"x"}}'],
    "Error from server (BadRequest): the name of the object (x) does not match the name on the URL (web)\n",
  ],
  ["another kind", ["hpa", "web", "-p", '{"kind":"Cluster"}'], "The HorizontalPodAutoscaler"],
  [
    "an invalid value",
    ["hpa", "web", "-p", '{"spec":{"maxReplicas":0}}'],
    'The HorizontalPodAutoscaler "web" is invalid: ',
  ],
  ["an unknown field", ["hpa", "web", "-p", '{"spec":{"nope":0}}'], 'The HorizontalPodAutoscaler "web" is invalid: '],
  [
    "a failing test",
    ["hpa", "web", "--type=json", "-p", '[{"op":"test","path":"/spec/maxReplicas","value":1}]'],
    "The request is invalid: the server rejected our request due to an error in our request",
  ],
  [
    "a path that there is not",
    ["hpa", "web", "--type=json", "-p", '[{"op":"remove","path":"/spec/nope"}]'],
    "The request is invalid",
  ],
  ["operations that are none", ["hpa", "web", "--type=json", "-p", "[1]"], "The request is invalid"],
  [
    "an unknown directive",
    ["hpa", "web", "-p", '{"metadata":{"$retainKeys":["a"]}}'],
    "Error from server (BadRequest): $retainKeys: ebb knows no directive but $patch: use --type=merge or --type=json\n",
  ],
  [
    "nested without end",
    ["hpa", "web", "-p", "[".repeat(50_000)],
    "error: unable to parse the patch: nested too deeply\n",
  ],
  [
    "anchors without end",
    ["hpa", "web", "-p", "- &a x\n".repeat(2_001)],
    "error: unable to parse the patch: expected at most 2000 anchors and aliases, got 2001 (a limit of ebb)",
  ],
])("refused: %s", async (_, args, message) => {
  const { stdout, stderr, exitCode } = await patch(...args);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(message);
  expect(await spec()).toMatchObject({ maxReplicas: 5 });
});

test("one object that is missing stops no other", async () => {
  expect(await patch("hpa", "nobody", "web", "-p", '{"spec":{"maxReplicas":7}}')).toEqual({
    stdout: `${object}/web patched\n`,
    stderr: 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "nobody" not found\n',
    exitCode: 1,
  });
});

test.each<[string, object, object]>([
  ["null removes", { a: { b: null } }, { a: { c: 2 }, l: [1, 2] }],
  ["a list is replaced", { l: [3] }, { a: { b: 1, c: 2 }, l: [3] }],
  ["a map is replaced", { a: { $patch: "replace", d: 1 } }, { a: { d: 1 }, l: [1, 2] }],
  ["a map is deleted", { a: { $patch: "delete" } }, { l: [1, 2] }],
  ["a map is merged", { a: { $patch: "merge", b: 5 } }, { a: { b: 5, c: 2 }, l: [1, 2] }],
  ["a new map loses its nulls", { n: { x: null, y: 1 } }, { a: { b: 1, c: 2 }, l: [1, 2], n: { y: 1 } }],
])("%s", (_, given, expected) => {
  expect(applyPatch({ a: { b: 1, c: 2 }, l: [1, 2] }, given, "strategic")).toEqual(expected);
});

test("a key named __proto__ is a key like any other", () => {
  const given = JSON.parse('{"__proto__":{"polluted":1}}') as object;
  const result = applyPatch({}, given, "merge") as object;
  expect(Object.keys(result)).toEqual(["__proto__"]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(() => applyPatch({ a: {} }, [{ op: "add", path: "/__proto__/polluted", value: 1 }], "json")).toThrow();
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
