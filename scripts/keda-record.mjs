// `npm run keda:record`: see parity/keda/record.ts.
import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { kedaModule, kedaVersion } from "./servers/keda.mjs";
import { download } from "./servers/kubernetes.mjs";

const program = "dist/parity/keda-record.js";
const built = spawnSync(process.execPath, ["scripts/servers/keda-recorder.mjs"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
});
if (built.status !== 0) process.exit(2);
await build({
  ...{ entryPoints: ["parity/keda/record.ts"], outfile: program, bundle: true, platform: "node", target: "node20" },
  ...{ format: "cjs", packages: "external", sourcemap: "inline", logLevel: "warning" },
});
const recorder = built.stdout.trim().split("\n").at(-1);
const { Dir: sources } = await download(kedaModule, kedaVersion);
const args = ["--enable-source-maps", program, recorder, kedaVersion, sources];
process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 2;
