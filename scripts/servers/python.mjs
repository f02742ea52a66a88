import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./cache.mjs";
import { ask, runStep } from "./step.mjs";

/**
 * moto: DynamoDB, SQS, Secrets Manager, STS, CloudFormation. ministack: deployed functions really run. cfn-lint: the
 * packaged template. python-hcl2: reads the Terraform example. boto3 and the AWS CLI: what users have.
 */
const requirements = [
  ...["moto[server]==5.2.5", "ministack==1.5.33", "cfn-lint==1.58.0", "python-hcl2==8.1.4"],
  ...["boto3==1.43.106", "awscli==1.46.3"],
];

const advice = "Python 3.10 or newer with venv and pip runs the AWS emulators (Debian: apt-get install python3-venv).";

/**
 * Paths of the AWS emulators and cfn-lint, in a virtual environment of their own.
 * @returns {Promise<Record<string, string>>}
 */
export async function pythonServers() {
  const version = await ask("python3", ["--version"], advice);
  // A venv is bound to its interpreter and its requirements, so both name its folder.
  const key = createHash("sha256")
    .update([version, ...requirements].join("\n"))
    .digest("hex")
    .slice(0, 12);
  const folder = join(cacheFolder, "python", key);
  const stamp = join(folder, "installed");
  if (!(await isStamped(stamp))) {
    await checkVersion(version);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await runStep({ name: "create a Python venv", command: "python3", args: ["-m", "venv", folder] });
    const args = ["install", "--disable-pip-version-check", "--no-input", ...requirements];
    await runStep({
      name: "install moto, ministack, cfn-lint, python-hcl2, boto3 and the AWS CLI",
      command: join(folder, "bin/pip"),
      args,
    });
    await writeFile(stamp, requirements.join("\n"));
  }
  const bin = (name) => join(folder, "bin", name);
  return {
    moto: bin("moto_server"),
    ministack: bin("ministack"),
    cfnLint: bin("cfn-lint"),
    hcl2json: bin("hcl2tojson"),
    aws: bin("aws"),
  };
}

async function isStamped(stamp) {
  return await readFile(stamp, "utf8").then(
    (text) => text === requirements.join("\n"),
    () => false,
  );
}

async function checkVersion(printed) {
  const [, major, minor] = /Python (\d+)\.(\d+)/.exec(printed) ?? [];
  if (!(Number(major) === 3 && Number(minor) >= 10)) throw new Error(`${printed} is too old: ${advice}`);
}
