import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";

const root = join(__dirname, "../..");

export interface BuiltCommand {
  readonly command: string;
  /** Starts of the command are faster with it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** `ebb` of the sources as they are, within the project: what cannot be bundled is required from its node_modules. */
export function buildCommand(): BuiltCommand {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = realpathSync(mkdtempSync(join(root, "dist/how-to-")));
  const script = `import { bundleCommand } from "./scripts/bundles.mjs"; await bundleCommand(${JSON.stringify(folder)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const command = join(folder, "ebb.js");
  chmodSync(command, 0o755);
  return { command, env: codeCache(folder), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function codeCache(folder: string): Readonly<Record<string, string>> {
  if ("enableCompileCache" in module) return { NODE_COMPILE_CACHE: join(folder, "code") };
  const hook = JSON.stringify(join(__dirname, "compile-once.cjs"));
  return { NODE_OPTIONS: `--require=${hook}`, EBB_TEST_BUNDLES: folder };
}
