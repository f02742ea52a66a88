import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { runStep } from "./step.mjs";

/** checkov: what a security team scans templates with. parliament: IAM policies. */
const requirements = ["checkov==3.3.30", "parliament==1.6.4"];

/**
 * Path of a Python that has both, in a virtual environment of its own: checkov pins another boto3 than the emulators.
 * @returns {Promise<Record<string, string>>}
 */
export async function scanners() {
  const key = createHash("sha256").update(requirements.join("\n")).digest("hex").slice(0, 12);
  const folder = join(cacheFolder, "scanners", key);
  const ready = join(folder, "bin/scanners-python");
  if (!(await isExecutable(ready))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const venv = ["-m", "venv", folder];
    await runStep({ name: "create a Python venv for checkov and parliament", command: "python3", args: venv });
    const args = ["install", "--disable-pip-version-check", "--no-input", ...requirements];
    await runStep({ name: "install checkov and parliament", command: join(folder, "bin/pip"), args });
    // It gets this name when all is there.
    await rename(join(folder, "bin/python"), ready);
  }
  return { scannersPython: ready };
}
