import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ApiServer } from "./api-server";
import { type Child, startChild } from "./child";
import { eventually } from "./eventually";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

export const rollouts = "/apis/argoproj.io/v1alpha1/namespaces/default/rollouts";

/** Argo's kinds, and its real Rollout controller, acting as the API server's admin. */
export async function startArgoRollouts({ admin, kubeconfig }: ApiServer): Promise<Child> {
  const definitions = installedProgram("argoRolloutsDefinitions");
  for (const file of readdirSync(definitions).filter((name) => name.endsWith("-crd.yaml"))) {
    const definition: unknown = parse(readFileSync(join(definitions, file), "utf8"));
    await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  await eventually("Rollouts are served", () => admin.get(rollouts));
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const child = await startChild({
    name: "argo-rollouts",
    command: installedProgram("argoRollouts"),
    args: [kubeconfig, String(port)],
    cwd: folder.path,
    log: folder.log("argo-rollouts"),
    ready: async () => (await fetch(`http://127.0.0.1:${port}`)).ok,
    readyTimeoutMs: 60_000,
  });
  return {
    async stop() {
      await child.stop();
      folder.remove();
    },
  };
}
