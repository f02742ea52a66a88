// Builds, and packages the stack without an account: `npm run package -- --stage prod`.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

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
const { Resources } = JSON.parse(readFileSync(template, "utf8"));
const bundles = Object.values(Resources)
  .filter(({ Type }) => Type === "AWS::Lambda::Function")
  .map(({ Properties }) => `.serverless/${basename(Properties.Code.S3Key)}`);
console.log(`template: ${template}\nfunctions: ${bundles.join(" ")}`);
