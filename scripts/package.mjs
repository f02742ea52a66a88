// Builds, and packages the stack without an account: `npm run package -- --stage prod`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const run = (command, args) => {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
};

run(process.execPath, ["scripts/build.mjs", "functions"]);
run(resolve("node_modules/.bin/osls"), ["package", "--package", ".serverless", ...process.argv.slice(2)]);

const template = ".serverless/cloudformation-template-update-stack.json";
if (!existsSync(template)) {
  console.error(`expected osls to write ${template}, which is not there`);
  process.exit(1);
}
console.log(`template: ${template}\nfunctions: .serverless/tick.zip .serverless/wake.zip .serverless/sync.zip`);
