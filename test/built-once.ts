import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(__dirname, "..");
const kept = join(root, "dist/tests");

/** What bundles are made of. */
const folders = ["cli", "docs/schema", "functions", "lib", "local", "scripts"];
const sources = [...folders, "compose.ts", "package.json", "package-lock.json", "tsconfig.json"];

/**
 * A folder that `build` has filled from these very sources, in this run or an earlier one: a build takes 5 s of CPU
 * time. Several processes may ask at a time; the first to finish is used.
 *
 * @param more Files beside the sources that `build` reads.
 */
export function builtOnce(name: string, more: readonly string[], build: (folder: string) => void): string {
  const folder = join(kept, `${name}-${hashOf([...sources, ...more])}`);
  if (existsSync(folder)) return folder;
  removeOutdated(name);
  mkdirSync(kept, { recursive: true });
  const draft = mkdtempSync(join(kept, "draft-"));
  try {
    build(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((each) => filesOf(join(root, each))).sort())
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Of other sources; another run may still be using a new one. */
function removeOutdated(name: string): void {
  if (!existsSync(kept)) return;
  const hourAgo = Date.now() - 3_600_000;
  for (const folder of readdirSync(kept))
    if (folder.startsWith(`${name}-`) && statSync(join(kept, folder)).mtimeMs < hourAgo)
      rmSync(join(kept, folder), { recursive: true, force: true });
}
