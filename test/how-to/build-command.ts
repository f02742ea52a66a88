import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { builtOnce } from "../built-once";

const root = join(__dirname, "../..");

export interface BuiltCommand {
  readonly command: string;
  /** Starts of the command are faster with it. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * `ebb` of the sources as they are, within the project: what cannot be bundled is required from its node_modules. All
 * that use it share its code cache.
 */
export function buildCommand(): BuiltCommand {
  const folder = builtOnce("ebb", [], build);
  return { command: commandIn(folder), env: codeCache(folder) };
}

function build(folder: string): void {
  const script = `import { bundleCommand } from "./scripts/bundles.mjs"; await bundleCommand(${JSON.stringify(folder)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  chmodSync(commandIn(folder), 0o755);
}

const commandIn = (folder: string) => join(folder, "ebb.js");

function codeCache(folder: string): Readonly<Record<string, string>> {
  if ("enableCompileCache" in module) return { NODE_COMPILE_CACHE: join(folder, "code") };
  const hook = JSON.stringify(join(__dirname, "compile-once.cjs"));
  return { NODE_OPTIONS: `--require=${hook}`, EBB_TEST_BUNDLES: folder };
}
