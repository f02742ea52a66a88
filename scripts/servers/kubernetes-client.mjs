import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { runStep } from "./step.mjs";

/** The official Python client, of the Kubernetes version that the suite builds. */
const requirement = "kubernetes==36.0.3";

/**
 * Path of a Python that has the client, in a virtual environment of its own: the emulators pin other versions of what
 * it needs.
 * @returns {Promise<Record<string, string>>}
 */
export async function kubernetesClient() {
  const folder = join(cacheFolder, "kubernetes-client", requirement.replace("==", "-"));
  const ready = join(folder, "bin/kubernetes-python");
  if (!(await isExecutable(ready))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await runStep({
      name: "create a Python venv for the Kubernetes client",
      command: "python3",
      args: ["-m", "venv", folder],
    });
    const args = ["install", "--disable-pip-version-check", "--no-input", requirement];
    await runStep({ name: "install the Kubernetes client", command: join(folder, "bin/pip"), args });
    // It gets this name when all is there.
    await rename(join(folder, "bin/python"), ready);
  }
  return { kubernetesPython: ready };
}
