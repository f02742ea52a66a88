import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each file with the files that it imports; paths from the project's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** What the TypeScript files of these folders import from each other. Imports of types count. */
export function readImports(root: string, folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((name) => /\.tsx?$/.test(name)),
  );
  const resolve = (from: string, specifier: string) => {
    const path = join(dirname(from), specifier);
    return [path, `${path}.ts`, `${path}.tsx`, join(path, "index.ts")].find(
      (each) => /\.tsx?$/.test(each) && existsSync(join(root, each)),
    );
  };
  return new Map(
    files.map((file) => [
      file,
      relativeImports(readFileSync(join(root, file), "utf8"))
        .map((specifier) => resolve(file, specifier))
        .filter((path) => path !== undefined),
    ]),
  );
}

/** In Prettier's format: `import … from "./x"`, `export … from "./x"`, `import "./x"` and `import("./x")`. */
export function relativeImports(text: string): readonly string[] {
  const pattern = /^(?:import|export)\b(?:[^;"]*\bfrom)? "(\.[^"]*)"|\bimport\("(\.[^"]*)"\)/gm;
  return [...text.matchAll(pattern)].map(([, declared, called]) => declared ?? called ?? "");
}

/** The files that reach each other in circles: Tarjan's strongly connected components of two files or more. */
export function cyclesOf(graph: ImportGraph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const path: string[] = [];
  const cycles: string[][] = [];

  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    path.push(file);
    let low = own;
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (path.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === own) {
      const component = path.splice(path.indexOf(file));
      if (component.length > 1 || graph.get(file)?.includes(file)) cycles.push(component.sort());
    }
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}
