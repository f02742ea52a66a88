// The Node that Lambda runs the functions on: what is measured on another one says little (a round takes a third less
// CPU time on 24 than on 20).
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** The binary: this process's own if it is of that version, otherwise npm's newest, from the cache of npx. */
export function functionsNode() {
  // Its tags are CloudFormation's, which yaml would warn of.
  const { runtime } = parse(readFileSync("serverless.yml", "utf8"), { logLevel: "error" }).provider;
  const [, version] = /^nodejs(\d+)\.x$/.exec(runtime) ?? [];
  if (version === undefined)
    throw new Error(`serverless.yml: expected provider.runtime to be nodejs<version>.x, got ${runtime}`);
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  try {
    const args = ["--yes", "--package", `node@${version}`, "--call", "node -p process.execPath"];
    return execFileSync("npx", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  } catch {
    throw new Error(`expected Node ${version}, as in serverless.yml; this is ${process.version}, and npx got no other`);
  }
}
