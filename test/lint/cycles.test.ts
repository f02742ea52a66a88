import { join } from "node:path";
import { cyclesOf, readImports, relativeImports } from "./import-graph";

const root = join(__dirname, "../..");

test("no file imports itself through others, types included", () => {
  const graph = readImports(root, ["lib", "cli", "local", "functions", "web"]);
  expect(graph.get("lib/core/evaluate.ts")).toContain("lib/core/decide.ts");
  expect(cyclesOf(graph)).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  ["a value", 'import { a } from "./a";', ["./a"]],
  ["a type", 'import type { A } from "../a";', ["../a"]],
  ["over several lines", 'import {\n  type A,\n  b,\n} from "./a";', ["./a"]],
  ["passed on", 'export * from "./a";\nexport type { B } from "./b";', ["./a", "./b"]],
  ["for its effects", 'import "./a";', ["./a"]],
  ["when it is needed", 'const { a } = await import("./a");', ["./a"]],
  ["as a type in place", 'type A = import("./a").A;', ["./a"]],
  ["a package", 'import { join } from "node:path";\nexport { x } from "yaml";', []],
  ["text", 'export const a = "./a";\n// import { a } from "./a";', []],
])("an import: %s", (_, text, expected) => {
  expect(relativeImports(text)).toEqual(expected);
});

test.each<[string, Readonly<Record<string, readonly string[]>>, readonly (readonly string[])[]]>([
  ["a tree", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  ["two files", { a: ["b"], b: ["a"] }, [["a", "b"]]],
  ["a file that imports itself", { a: ["a"] }, [["a"]]],
  ["a circle further down", { a: ["b"], b: ["c"], c: ["d"], d: ["b"] }, [["b", "c", "d"]]],
  ["two circles that share a file", { a: ["b"], b: ["a", "c"], c: ["b"] }, [["a", "b", "c"]]],
  [
    "two circles apart",
    { d: ["c"], c: ["d", "a"], a: ["b"], b: ["a"] },
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
])("cycles of %s", (_, imports, expected) => {
  expect(cyclesOf(new Map(Object.entries(imports)))).toEqual(expected);
});
