// Runs every check that a commit must pass, and prints the output of stages that fail: `npm run check`. To run only
// some stages: `npm run check -- format lint`.
import { spawn } from "node:child_process";

const stages = ["format", "lint", "typecheck", "licences", "test"];
const asked = process.argv.slice(2);
const unknown = asked.filter((stage) => !stages.includes(stage));
if (unknown.length > 0) {
  console.error(`no such stage: ${unknown.join(", ")}; there are ${stages.join(", ")}`);
  process.exit(2);
}

/** Resolves to the stage's exit status. Prints its output only if it fails. */
function run(stage) {
  return new Promise((resolve, reject) => {
    const npm = spawn("npm", ["run", "--silent", stage], { stdio: ["ignore", "pipe", "pipe"] });
    const output = [];
    npm.stdout.on("data", (chunk) => output.push(chunk));
    npm.stderr.on("data", (chunk) => output.push(chunk));
    npm.on("error", reject);
    npm.on("close", (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

let failed = 0;
for (const stage of asked.length > 0 ? asked : stages) {
  const start = Date.now();
  const code = await run(stage);
  if (code !== 0) failed += 1;
  console.log(`${stage}: ${code === 0 ? "passed" : "failed"} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}
process.exitCode = failed === 0 ? 0 : 1;
