import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ImportGraph, readImports } from "./import-graph";

/** A file lives with what uses it, unless something needs the split: docs/decisions/0089-rooms.md */
const root = join(__dirname, "../..");
const graph = readImports(root, ["lib", "cli", "local", "functions", "web"]);
const linesOf = (file: string) => readFileSync(join(root, file), "utf8").split("\n").length - 1;

const fewestLines = 40;

/** Both lists only get shorter. */
const small: Readonly<Record<string, string>> = {
  "lib/cluster/auth/assume-role.ts": "A client of the AWS SDK, which loads when a cluster names a role.",
  "lib/secrets/secrets-manager-client.ts": "A client of the AWS SDK, which loads with the first secret.",
  "lib/secrets/ssm-client.ts": "A client of the AWS SDK, which loads with the first parameter.",
  "lib/model/validators/cluster-spec.ts": "Generated.",
  "lib/k8s/comparable-spec.ts": "What the API compares, in the room that does no I/O.",
  "lib/sync/slot/bound-tasks.ts": "In run-tasks.ts, it would pass 250 lines.",
  "cli/shell/input/json-in-row.ts": "A scanner of its own; in read-documents.ts, it would pass 250 lines.",
  "local/hold-directory.ts": "The command's own bundle does not load LevelDB.",
  "local/backends/kubernetes/schemas/kubernetes-schemas.ts": "A bundle of its own, of some megabytes.",
  "local/backends/sqs/queue-tags.ts": "In queue-attributes.ts, it would import itself through queue.ts.",
};

/** Rooms that exist for others. The rest of lib has an entry point of its own. */
const shared = ["lib/k8s", "lib/model", "lib/core", "lib/async", "lib/net", "lib/aws", "lib/read"];

const ofOneRoom: Readonly<Record<string, string>> = {
  "lib/k8s/codec/encode-v1.ts": "A version of the HPA API, beside the others.",
  "lib/k8s/comparable-spec.ts": "What the API compares, in the room that does no I/O.",
  "lib/model/schema/situation.ts": "The validators are made of it.",
  "lib/model/validators/items.ts": "Generated, for the table's items.",
  "lib/model/validators/situation.ts": "Generated, for ebb evaluate.",
};

const roomOf = (file: string) => /^(?:cli|lib)\/[^/]+\/|^[^/]+\//.exec(file)?.[0].slice(0, -1) ?? file;

function importersIn(imports: ImportGraph): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [file, others] of imports)
    for (const other of new Set(others)) importers.set(other, [...(importers.get(other) ?? []), file]);
  return importers;
}

function smallIn(imports: ImportGraph, lines: (file: string) => number): readonly string[] {
  const found = [...importersIn(imports)].filter(([, importers]) => importers.length === 1).map(([file]) => file);
  return found.filter((file) => imports.has(file) && lines(file) < fewestLines).sort();
}

/** Files of shared rooms that another room alone imports. */
function ofOneRoomIn(imports: ImportGraph): readonly string[] {
  const found = [...importersIn(imports)].filter(([file, importers]) => {
    const rooms = new Set(importers.map(roomOf));
    return shared.includes(roomOf(file)) && rooms.size === 1 && !rooms.has(roomOf(file));
  });
  return found.map(([file]) => file).sort();
}

/** compose.ts connects ports to adapters: what it alone imports is no one's. */
const composes = new Set(
  [...readFileSync(join(root, "compose.ts"), "utf8").matchAll(/"\.\/([^"]+)"/g)].map(([, path = ""]) => `${path}.ts`),
);
const product: ImportGraph = new Map([...graph, ["compose.ts", [...composes]]]);

test("no file below 40 lines has one importer, unless a bundle or a rule needs the split", () => {
  expect(smallIn(product, linesOf)).toEqual(Object.keys(small).sort());
});

test("no file is longer than 250 lines: past that, it has two ideas", () => {
  expect([...graph.keys()].filter((file) => linesOf(file) > 250)).toEqual([]);
});

test("what one room alone uses lives in it", () => {
  const found = ofOneRoomIn(product).filter((file) => !composes.has(file));
  expect(found).toEqual(Object.keys(ofOneRoom).sort());
});

test("each exception has its reason", () => {
  for (const reason of [...Object.values(small), ...Object.values(ofOneRoom)]) expect(reason).toMatch(/^[A-Z].{8,}\.$/);
});

test("a small file is found by its one importer, and one with two is not", () => {
  const imports: ImportGraph = new Map<string, readonly string[]>([
    ["cli/a.ts", ["lib/k8s/small.ts", "lib/k8s/both.ts", "lib/k8s/long.ts"]],
    ["lib/k8s/b.ts", ["lib/k8s/both.ts", "lib/k8s/gone.ts"]],
    ...["small", "both", "long"].map((name) => [`lib/k8s/${name}.ts`, []] as const),
  ]);
  expect(smallIn(imports, (file) => (file.includes("long") ? 40 : 39))).toEqual(["lib/k8s/small.ts"]);
});

test("a file of a shared room is found if one other room alone imports it", () => {
  const imports = new Map([
    ["cli/look/a.ts", ["lib/k8s/one.ts", "lib/k8s/two.ts", "lib/k8s/own.ts", "lib/sync/one.ts"]],
    ["cli/look/b.ts", ["lib/k8s/one.ts"]],
    ["cli/write/c.ts", ["lib/k8s/two.ts"]],
    ["lib/k8s/d.ts", ["lib/k8s/own.ts"]],
  ]);
  expect(ofOneRoomIn(imports)).toEqual(["lib/k8s/one.ts"]);
});
