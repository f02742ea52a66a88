import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiClient } from "./api-client";
import { featureGates, type ApiServer } from "./api-server";
import { startChild, type Child } from "./child";
import { freePorts } from "./free-ports";
import { installed } from "./installed";
import { serverFolder } from "./server-folder";

/** Names that kube-controller-manager's --controllers takes. */
export type Controller =
  | "deployment-controller"
  | "horizontal-pod-autoscaler-controller"
  | "replicaset-controller"
  | "serviceaccount-token-controller"
  | "statefulset-controller";

/**
 * A real kube-controller-manager with only these controllers, acting on the API server as its admin.
 * @param flags further ones, e.g. "--horizontal-pod-autoscaler-sync-period=15s"
 */
export async function startControllerManager(
  apiServer: ApiServer,
  { controllers, flags = [] }: { controllers: readonly Controller[]; flags?: readonly string[] },
): Promise<Child> {
  const { kubeControllerManager } = installed();
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const serving = await apiServer.servingCertificate(["127.0.0.1"]);
  const [certFile, keyFile] = [join(folder.path, "serving.crt"), join(folder.path, "serving.key")];
  writeFileSync(certFile, serving.cert);
  writeFileSync(keyFile, serving.key, { mode: 0o600 });
  const health = apiClient(`https://127.0.0.1:${port}`, caOf(apiServer), "");
  const child = await startChild({
    name: "kube-controller-manager",
    command: kubeControllerManager,
    args: [
      `--kubeconfig=${apiServer.kubeconfig}`,
      `--controllers=${controllers.join(",")}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      `--feature-gates=${featureGates}`,
      "--v=2",
      ...flags,
    ],
    cwd: folder.path,
    log: folder.log("kube-controller-manager"),
    ready: async () => (await health.send("GET", "/healthz")).status === 200,
    readyTimeoutMs: 60_000,
  })
    .catch((error: unknown) => {
      folder.remove();
      throw error;
    })
    .finally(() => health.close());
  return {
    stop: async () => {
      await child.stop();
      folder.remove();
    },
  };
}

function caOf(apiServer: ApiServer): string {
  return Buffer.from(apiServer.certificateAuthorityData, "base64").toString("utf8");
}
