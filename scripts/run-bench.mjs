// Runs every bench/*.ts, accounts and million in turn, each in its own process, on the functions' Node:
// `npm run bench`. To run only some: `npm run bench -- bundle growth`. Options go to each:
// `npm run bench -- rounds --full`.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { functionsNode } from "./functions-node.mjs";
import "./quiet-aws-sdk.mjs";
import { simulatedPlatform } from "./simulated-platform.mjs";

/** simulate/ has a clock of its own: what it bundles gets its timers from there. */
const simulations = ["simulate/accounts.ts", "simulate/million.ts"];
/** It measures the command, which runs on whatever Node its user has. */
const ofTheCommand = ["evaluate-memory"];

const measured = readdirSync("bench").filter((file) => file.endsWith(".ts"));
const files = [...measured.map((file) => `bench/${file}`), ...simulations];
const benches = files.map((file) => basename(file, ".ts")).sort();
const isOption = (argument) => argument.startsWith("--");
const options = process.argv.slice(2).filter(isOption);
const asked = process.argv.slice(2).filter((argument) => !isOption(argument));
const unknown = asked.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(", ")}; there are ${benches.join(", ")}`);
  process.exit(2);
}

const bundled = {
  ...{ outdir: "dist/bench", bundle: true, platform: "node", target: "node20", format: "cjs" },
  ...{ sourcemap: "linked", logLevel: "warning" },
};
await build({ ...bundled, entryPoints: measured.map((file) => `bench/${file}`), packages: "external" });
await build({ ...bundled, entryPoints: simulations, external: ["@aws-sdk/*"], plugins: [simulatedPlatform] });

const lambdaNode = functionsNode();
const versionOf = (node) => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
const failed = [];
for (const name of benches) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const node = ofTheCommand.includes(name) ? process.execPath : lambdaNode;
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
