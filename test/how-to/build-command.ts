import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");

export interface BuiltCommand {
  readonly command: string;
  remove(): void;
}

/** `ebb` of the sources as they are, within the project: what cannot be bundled is required from its node_modules. */
export function buildCommand(): BuiltCommand {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist/how-to-"));
  const script = `import { bundleCommand } from "./scripts/bundles.mjs"; await bundleCommand(${JSON.stringify(folder)});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const command = join(folder, "ebb.js");
  chmodSync(command, 0o755);
  return { command, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
