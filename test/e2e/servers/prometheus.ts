import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

export interface Prometheus {
  readonly url: string;
  /** Once it works with this configuration. */
  configure(config: object): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The real Prometheus.
 * @param files for its configuration to name, by name; its folder is the current one
 */
export async function startPrometheus(
  config: object,
  files: Readonly<Record<string, string>> = {},
): Promise<Prometheus> {
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const configFile = join(folder.path, "prometheus.yml");
  // JSON is YAML.
  const write = (wanted: object) => writeFileSync(configFile, JSON.stringify(wanted));
  write(config);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), content, { mode: 0o600 });
  const child = await startChild({
    name: "prometheus",
    command: installedProgram("prometheus"),
    args: [
      `--config.file=${configFile}`,
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
    async configure(wanted) {
      write(wanted);
      const answer = await fetch(`${url}/-/reload`, { method: "POST" });
      if (!answer.ok) throw new Error(`Prometheus does not take this configuration: ${await answer.text()}`);
    },
    async stop() {
      await child.stop();
      folder.remove();
    },
  };
}
