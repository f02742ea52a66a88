import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ebb } from "./run-ebb";
import { tableForTests } from "./table";

const { folder } = tableForTests();

const hpa = (name: string) => ({
  ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name } },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas: 3 },
});
const yaml = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: a }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }, maxReplicas: 5 }
`;

async function validate(content: string | Buffer, ...flags: readonly string[]) {
  const path = join(folder(), "given.yaml");
  await writeFile(path, content);
  const { stdout, stderr } = await ebb(["validate", path, ...flags]);
  return (stdout + stderr)
    .replaceAll(`${path}:`, "")
    .trim()
    .split("\n")
    .map((line) => line.trim());
}

const valid = (...names: readonly string[]) => names.map((name) => `horizontalpodautoscaler.autoscaling/${name} valid`);

const [a, b] = [hpa("a"), hpa("b")].map((one) => JSON.stringify(one)) as [string, string];
const { apiVersion: _apiVersion, kind: _kind, ...bare } = hpa("a");

test.each<[string, string | Buffer, readonly string[]]>([
  ["JSON lines", `${a}\n${b}\n`, valid("a", "b")],
  ["JSON documents without a line between them", `${a}${b}`, valid("a", "b")],
  [
    "indented JSON documents",
    `${JSON.stringify(hpa("a"), null, 2)}\n${JSON.stringify(hpa("b"), null, 2)}`,
    valid("a", "b"),
  ],
  ["JSON documents, one of them after ---", `${a}\n${b}\n---\n${a}`, valid("a", "b", "a")],
  ["one JSON document", a, valid("a")],
  [
    "braces within JSON's texts",
    `${JSON.stringify({ ...hpa("a"), metadata: { name: "a", annotations: { x: '}{"\\' } } })}\n${b}`,
    valid("a", "b"),
  ],
  ["files with byte order marks, joined", `\uFEFF${yaml}---\n\uFEFF${yaml}`, valid("a", "a")],
  [
    "such files of PowerShell",
    Buffer.from(`\uFEFF${yaml}---\n\uFEFF${yaml}`.replaceAll("\n", "\r\n"), "utf16le"),
    valid("a", "a"),
  ],
  ["YAML in flow style", "{ apiVersion: v1, kind: '}' }\n", ["skipped 1 object of another kind: 1 }"]],
  [
    "a wrong field of the second document",
    `${a}\n${b.replace("3", '"x"')}`,
    [
      ...valid("a"),
      '2:170: The HorizontalPodAutoscaler "b" is invalid: spec.maxReplicas: Invalid value: "x": expected an integer of 32 bits',
    ],
  ],
  [
    "a typed list, whose items have no kind",
    JSON.stringify({ kind: "HorizontalPodAutoscalerList", apiVersion: "autoscaling/v2", items: [bare, bare] }),
    valid("a", "a"),
  ],
  [
    "a typed list of another kind",
    JSON.stringify({ kind: "PodList", apiVersion: "v1", items: [{ metadata: {} }, { metadata: {} }] }),
    ["skipped 2 objects of other kinds: 2 Pod"],
  ],
  [
    "a typed list of older HPAs",
    JSON.stringify({ kind: "HorizontalPodAutoscalerList", apiVersion: "autoscaling/v1", items: [bare] }),
    valid("a"),
  ],
  ["UTF-16 of PowerShell", Buffer.from(`\ufeff${yaml}`, "utf16le"), valid("a")],
  ["UTF-16, the other way round", Buffer.from(`\ufeff${yaml}`, "utf16le").swap16(), valid("a")],
  ["UTF-16 of JSON lines", Buffer.from(`\ufeff${a}\r\n${b}\r\n`, "utf16le"), valid("a", "b")],
  ["UTF-16 without a byte order mark", Buffer.from(yaml, "utf16le"), valid("a")],
  ["UTF-16 without one, the other way round", Buffer.from(yaml, "utf16le").swap16(), valid("a")],
  [
    "a template of Helm",
    "kind: {{ .Values.kind }}\nspec: {{- toYaml . }}\n",
    [
      "2:9: Block collections are not allowed within flow collections; if this is a template, render it first, such as by helm template",
    ],
  ],
  ["UTF-8 with a byte order mark", `\ufeff${yaml}`, valid("a")],
  ["UTF-8 with a byte order mark, JSON lines", `\ufeff${a}\n${b}`, valid("a", "b")],
  ...["List", "HorizontalPodAutoscalerList"].map((kind): [string, string, readonly string[]] => [
    `a list with a ${kind} in it`,
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [{ apiVersion: "autoscaling/v2", kind, items: [JSON.parse(a)] }],
    }),
    valid("a"),
  ]),
  ["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x61]), ["1:1: no document found"]],
  [
    "a key twice in an object of another kind",
    `${yaml}---\napiVersion: v1\nkind: ConfigMap\ndata: { x: 1 }\ndata: { x: 2 }\n`,
    [...valid("a"), "skipped 1 object of another kind: 1 ConfigMap"],
  ],
  [
    "a key twice in an object of another kind within a list",
    `kind: List\nitems:\n- { apiVersion: v1, kind: Service, a: 1, a: 2 }\n- ${a}\n`,
    [...valid("a"), "skipped 1 object of another kind: 1 Service"],
  ],
  ["a key twice in an HPA", `${yaml}kind: HorizontalPodAutoscaler\n`, ["5:1: Map keys must be unique"]],
  [
    "a key twice in an HPA within a list",
    `kind: List\nitems:\n- { apiVersion: v1, kind: Service }\n- { kind: HorizontalPodAutoscaler, kind: HorizontalPodAutoscaler }\n`,
    ["4:36: Map keys must be unique", "skipped 1 object of another kind: 1 Service"],
  ],
])("%s", async (_name, content, expected) => {
  const lines = await validate(content);
  expect(lines.sort().map((line, at) => line.slice(0, ([...expected].sort()[at] ?? line).length))).toEqual(
    [...expected].sort(),
  );
});

const scaledObject = {
  metadata: { name: "web", namespace: "shop" },
  spec: {
    scaleTargetRef: { name: "web" },
    minReplicaCount: 1,
    triggers: [{ type: "cpu", metricType: "Utilization", metadata: { value: "60" } }],
  },
};

test.each([
  ["", { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", ...scaledObject }],
  [" whose items have no kind", scaledObject],
])("a typed list of ScaledObjects%s is converted", async (_how, item) => {
  const list = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObjectList", items: [item] };
  expect(await validate(JSON.stringify(list), "--import-keda")).toContain(
    "horizontalpodautoscaler.autoscaling/web valid",
  );
  const path = join(folder(), "list.json");
  await writeFile(path, JSON.stringify(list));
  const { stdout, exitCode } = await ebb(["import", "keda", path]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("kind: HorizontalPodAutoscaler")]);
});

test.each([
  ["with a mark", [0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]],
  ["with the other mark", [0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]],
  ["without one", [0x7b, 0, 0, 0, 0x7d, 0, 0, 0]],
  ["the other way round, without one", [0, 0, 0, 0x7b, 0, 0, 0, 0x7d]],
])("UTF-32 %s is named", async (_, bytes) => {
  const said = await validate(Buffer.from(bytes));
  expect(said).toEqual(["error:  expected UTF-8 or UTF-16, got UTF-32: save it as UTF-8"]);
});

test("a file that cannot be read is named, and stops no other file of the import", async () => {
  const so = (name: string) =>
    `apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: { name: ${name} }\nspec: { scaleTargetRef: { name: ${name} }, triggers: [{ type: redis, metadata: { address: "r.example:6379", listName: a } }] }\n`;
  const where = join(folder(), "objects");
  await mkdir(where, { recursive: true });
  await writeFile(join(where, "a.yaml"), Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]));
  await mkdir(join(where, "b.yaml"));
  await writeFile(join(where, "c.yaml"), so("good"));
  const { stdout, stderr, exitCode } = await ebb(["import", "keda", where]);
  expect([exitCode, stderr.trimEnd().split("\n").at(-1)]).toEqual([1, "1 converted completely, 1 refused"]);
  expect(stdout).toContain("name: good");
  expect(stderr).toContain(`Warning: ${join(where, "a.yaml")}: expected UTF-8 or UTF-16, got UTF-32`);
});

test("standard input in UTF-16 is read as well", async () => {
  const stdin = Buffer.from(`\ufeff${yaml}`, "utf16le") as unknown as string;
  expect((await ebb(["validate", "-"], { stdin })).stdout).toContain("valid");
});

test("10,000 JSON documents in a row take no longer than their size", async () => {
  const lines = await validate(Array.from({ length: 10_000 }, () => '{"apiVersion":"v1","kind":"Pod"}').join("\n"));
  expect(lines).toEqual(["skipped 10000 objects of other kinds: 10000 Pod"]);
});

test("a key twice in a ScaledObject is an error, where ScaledObjects are converted", async () => {
  const object = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: { name: web }\nmetadata: { name: x }\n";
  expect(await validate(object, "--import-keda")).toEqual(["4:1: Map keys must be unique"]);
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nmetadata: { name: t }\n";
  const path = join(folder(), "twice.yaml");
  await writeFile(path, `${secret}---\n${object}`);
  const { stderr, exitCode } = await ebb(["import", "keda", path]);
  expect(stderr).toBe(
    `Warning: ${path}:9:1: Map keys must be unique\n` +
      "Warning: Secret default/t is left out: it is not a ScaledObject\n1 refused\n",
  );
  expect(exitCode).toBe(1);
});

test.each([
  ["keda", [], { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", ...scaledObject }, "a ScaledObject"],
  ["hpa", ["-f"], { ...hpa("web"), metadata: { name: "web", namespace: "shop" } }, "a HorizontalPodAutoscaler"],
] as const)("import %s of a folder names each bad file, and reads the others", async (what, flag, good, wanted) => {
  const path = join(folder(), `some-${what}`);
  await mkdir(path);
  const files = { "a.yaml": "a: [", "b.json": JSON.stringify(good), "c.yaml": "text", "d.yaml": "{{- if .x }}\na: 1" };
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  const { stdout, stderr, exitCode } = await ebb(["import", what, ...flag, path]);
  expect(stdout).toContain("name: web\n");
  const lines = stderr.split("\n").filter((line) => line.includes(path));
  expect(lines.map((line) => line.replace(`Warning: ${path}/`, ""))).toEqual([
    expect.stringMatching(/^a\.yaml:1:\d+: Flow sequence/),
    `c.yaml:1:1: expected ${wanted} object`,
    expect.stringMatching(/^d\.yaml:.*; if this is a template, render it first, such as by helm template$/),
  ]);
  expect(exitCode).toBe(1);
});
