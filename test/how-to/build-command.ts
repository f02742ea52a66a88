import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

const root = join(__dirname, "../..");

export interface BuiltCommand {
  readonly command: string;
  /** Starts of the command are faster with it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * `ebb` of the sources as they are, within the project: what cannot be bundled is required from its node_modules.
 * The test files of a run share one (EBB_TEST_COMMAND, which the end of the run removes), and its code cache.
 */
export function buildCommand(): BuiltCommand {
  const shared = process.env["EBB_TEST_COMMAND"];
  if (shared === undefined) {
    const folder = build();
    return builtIn(folder, () => rmSync(folder, { recursive: true, force: true }));
  }
  if (!existsSync(shared)) share(build(), shared);
  return builtIn(shared, () => {});
}

/** Two processes may build at a time: the first to finish is used. */
function share(built: string, shared: string): void {
  try {
    renameSync(built, shared);
  } catch (error) {
    rmSync(built, { recursive: true, force: true });
    if (!existsSync(shared)) throw error;
  }
}

function build(): string {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = realpathSync(mkdtempSync(join(root, "dist/how-to-")));
  const script = `import { bundleCommand } from "./scripts/bundles.mjs"; await bundleCommand(${JSON.stringify(folder)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  chmodSync(commandIn(folder), 0o755);
  return folder;
}

const commandIn = (folder: string) => join(folder, "ebb.js");

function builtIn(folder: string, remove: () => void): BuiltCommand {
  return { command: commandIn(folder), env: codeCache(folder), remove };
}

function codeCache(folder: string): Readonly<Record<string, string>> {
  if ("enableCompileCache" in module) return { NODE_COMPILE_CACHE: join(folder, "code") };
  const hook = JSON.stringify(join(__dirname, "compile-once.cjs"));
  return { NODE_OPTIONS: `--require=${hook}`, EBB_TEST_BUNDLES: folder };
}
