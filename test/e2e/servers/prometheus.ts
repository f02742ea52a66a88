import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

export interface Prometheus {
  readonly url: string;
  /** Once it works with this configuration. */
  configure(config: object): Promise<void>;
  /** Replaces a file that its configuration names. */
  put(name: string, content: string): void;
  stop(): Promise<void>;
}

/** The real Prometheus. Paths in its configuration begin at its own folder. */
export async function startPrometheus(config: object): Promise<Prometheus> {
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const configName = "prometheus.yml";
  const put = (name: string, content: string) => {
    const path = join(folder.path, name);
    writeFileSync(`${path}.partial`, content);
    renameSync(`${path}.partial`, path);
  };
  // JSON is YAML.
  put(configName, JSON.stringify(config));
  const child = await startChild({
    name: "prometheus",
    command: installedProgram("prometheus"),
    args: [
      `--config.file=${join(folder.path, configName)}`,
      `--storage.tsdb.path=${join(folder.path, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--web.enable-lifecycle",
    ],
    cwd: folder.path,
    log: folder.log("prometheus"),
    ready: async () => (await fetch(`${url}/-/ready`)).ok,
    readyTimeoutMs: 60_000,
  });
  return {
    url,
    put,
    async configure(wanted) {
      put(configName, JSON.stringify(wanted));
      const answer = await fetch(`${url}/-/reload`, { method: "POST" });
      if (!answer.ok) throw new Error(`Prometheus does not take this configuration: ${await answer.text()}`);
    },
    async stop() {
      await child.stop();
      folder.remove();
    },
  };
}
