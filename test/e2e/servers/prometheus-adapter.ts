import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { ApiServer } from "./api-server";
import { type Child, startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

export interface PrometheusAdapter extends Child {
  readonly port: number;
}

interface Given {
  /** What its container's arguments are in the cluster. Paths, addresses and ports become this machine's. */
  readonly args: readonly string[];
  readonly config: string;
  readonly prometheusUrl: string;
  /** Of its service account: it has no other rights. */
  readonly token: string;
}

/** The real prometheus-adapter, with a certificate that it signs itself. */
export async function startPrometheusAdapter(apiServer: ApiServer, given: Given): Promise<PrometheusAdapter> {
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const file = (name: string) => join(folder.path, name);
  writeFileSync(file("config.yaml"), given.config);
  writeFileSync(file("kubeconfig"), kubeconfig(apiServer, given.token), { mode: 0o600 });
  mkdirSync(file("serving-cert"));
  const here: Readonly<Record<string, string | number>> = {
    "--prometheus-url": given.prometheusUrl,
    "--config": file("config.yaml"),
    "--cert-dir": file("serving-cert"),
    "--secure-port": port,
  };
  const missing = Object.keys(here).filter((flag) => !given.args.some((arg) => arg.startsWith(`${flag}=`)));
  if (missing.length > 0) throw new Error(`expected ${missing.join(", ")} in the container's arguments`);
  const kept = given.args.filter((arg) => !((arg.split("=")[0] ?? "") in here));
  const child = await startChild({
    name: "prometheus-adapter",
    command: installedProgram("prometheusAdapter"),
    args: [
      ...kept,
      ...Object.entries(here).map(([flag, value]) => `${flag}=${value}`),
      "--bind-address=127.0.0.1",
      // A pod finds all three in its service account.
      ...["lister", "authentication", "authorization"].map((what) => `--${what}-kubeconfig=${file("kubeconfig")}`),
    ],
    cwd: folder.path,
    log: folder.log("prometheus-adapter"),
    ready: () => isReady(port),
    readyTimeoutMs: 60_000,
  });
  return {
    port,
    async stop() {
      await child.stop();
      folder.remove();
    },
  };
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asked = request(`https://127.0.0.1:${port}/readyz`, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on("error", reject);
    asked.end();
  });
}

function kubeconfig(server: ApiServer, token: string): string {
  const cluster = { server: server.endpoint, "certificate-authority-data": server.certificateAuthorityData };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "e2e",
    clusters: [{ name: "e2e", cluster }],
    users: [{ name: "adapter", user: { token } }],
    contexts: [{ name: "e2e", context: { cluster: "e2e", user: "adapter" } }],
  });
}
