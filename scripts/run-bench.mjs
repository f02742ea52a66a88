// Runs every bench/*.ts in turn, each in its own process, on the functions' Node: `npm run bench`. To run only some:
// `npm run bench -- bundle decisions`. Options go to each: `npm run bench -- rounds --full`.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { functionsNode } from "./functions-node.mjs";
import "./quiet-aws-sdk.mjs";
import { simulatedPlatform } from "./simulated-platform.mjs";

const benches = readdirSync("bench").filter((file) => file.endsWith(".ts"));
const isOption = (argument) => argument.startsWith("--");
const options = process.argv.slice(2).filter(isOption);
const asked = process.argv.slice(2).filter((argument) => !isOption(argument));
const unknown = asked.filter((name) => !benches.includes(`${name}.ts`));
if (unknown.length > 0) {
  console.error(
    `no such bench: ${unknown.join(", ")}; there are ${benches.map((file) => basename(file, ".ts")).join(", ")}`,
  );
  process.exit(2);
}

/** They have a clock of their own: what they bundle gets its timers from there. */
const simulations = ["accounts.ts", "million.ts"];
/** They measure the command, which runs on whatever Node its user has. */
const ofTheCommand = ["evaluate-memory.ts"];

await build({
  entryPoints: benches.filter((file) => !simulations.includes(file)).map((file) => `bench/${file}`),
  outdir: "dist/bench",
  bundle: true,
  platform: "node",
  target: "node20",
  packages: "external",
  format: "cjs",
  sourcemap: "inline",
  logLevel: "warning",
});

await build({
  entryPoints: simulations.map((file) => `bench/${file}`),
  outdir: "dist/bench",
  bundle: true,
  platform: "node",
  target: "node20",
  external: ["@aws-sdk/*"],
  format: "cjs",
  sourcemap: "inline",
  logLevel: "warning",
  plugins: [simulatedPlatform],
});

const lambdaNode = functionsNode();
const versionOf = (node) => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
const failed = [];
for (const file of benches) {
  const name = basename(file, ".ts");
  if (asked.length > 0 && !asked.includes(name)) continue;
  const node = ofTheCommand.includes(file) ? process.execPath : lambdaNode;
  console.log(`\n== ${name} (Node ${versionOf(node)})`);
  const begin = Date.now();
  const { status } = spawnSync(node, ["--enable-source-maps", `dist/bench/${name}.js`, ...options], {
    stdio: "inherit",
  });
  console.log(`== ${name} took ${Math.round((Date.now() - begin) / 1000)} s`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\nover budget or failed: ${failed.join(", ")}`);
  process.exit(1);
}
