// `npm run parity -- --seed N --count M [decision story document update]`, or `--minutes M`: see parity/run.ts.
import { spawnSync } from "node:child_process";
import { build } from "esbuild";

const program = "dist/parity/run.js";
const built = spawnSync(process.execPath, ["scripts/servers/recorder.mjs"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
});
if (built.status !== 0) process.exit(2);
await build({
  ...{ entryPoints: ["parity/run.ts"], outfile: program, bundle: true, platform: "node", target: "node20" },
  ...{ format: "cjs", packages: "external", sourcemap: "inline", logLevel: "warning" },
});
const args = ["--enable-source-maps", program, built.stdout.trim(), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 2;
