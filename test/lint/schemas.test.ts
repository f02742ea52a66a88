import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readImports } from "./import-graph";

/** A schema and its type share a name and a file. The schema is for the build, so only other schemas may load it. */
const root = join(__dirname, "../..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const files = [...readImports(root, ["lib", "cli", "local", "functions"]).keys()];
const schemas = files.filter((file) => textOf(file).includes('from "typebox";'));

function loadedBy(file: string, text: string): readonly string[] {
  const values = text.matchAll(/^(?:import|export) (?!type\b)(?:[^;"]*\bfrom )?"(\.[^"]*)";/gm);
  return [...values].map(([, path = ""]) => `${join(dirname(file), path)}.ts`);
}

test("no schema is loaded at run time", () => {
  const others = files.filter((file) => !schemas.includes(file));
  const found = others.flatMap((file) => loadedBy(file, textOf(file)).filter((other) => schemas.includes(other)));
  expect(schemas).toContain("lib/model/stored/state.ts");
  expect(found).toEqual([]);
});

test("a schema that is loaded is found, and a type of it is not", () => {
  const text = 'import type { State } from "../a";\nimport { Shard } from "./b";\nexport type { C } from "./c";\n';
  expect(loadedBy("lib/x/y.ts", text)).toEqual(["lib/x/b.ts"]);
});

test("each exported schema of what the table stores has a type of its name", () => {
  const without = schemas
    .filter((file) => file.startsWith("lib/model/stored/"))
    .flatMap((file) =>
      [...textOf(file).matchAll(/^export const ([A-Z]\w*) = Type\.Object/gm)].map(([, name = ""]) => ({ file, name })),
    )
    .filter(({ file, name }) => !textOf(file).includes(`export type ${name} = `));
  expect(without).toEqual([]);
});
