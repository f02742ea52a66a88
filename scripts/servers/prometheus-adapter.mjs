import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { onPath } from "./debian.mjs";
import { buildFlags, goEnvironment } from "./kubernetes.mjs";
import { runStep } from "./step.mjs";

const version = "v0.12.0";
const module = "sigs.k8s.io/prometheus-adapter";
/** The Go that its go.mod asks for: a module of ours must ask for as much. */
const goLine = "go 1.22.1";

/**
 * The path of prometheus-adapter, built once from the Go module proxy. It is a module of its own, with the versions of
 * Kubernetes' libraries that this release was tested with. A machine without Go goes without: only the adapter's suite
 * fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function prometheusAdapter() {
  const folder = join(cacheFolder, "prometheus-adapter", version);
  const file = join(folder, "prometheus-adapter");
  if (await isExecutable(file)) return { prometheusAdapter: file };
  if ((await onPath("go")) === undefined) {
    console.log("servers: no prometheus-adapter: Go builds it (https://go.dev/dl).");
    return {};
  }
  const source = `${folder}.build`;
  await rm(source, { recursive: true, force: true });
  await mkdir(source, { recursive: true });
  await writeFile(join(source, "go.mod"), `module adapter\n\n${goLine}\n\nrequire ${module} ${version}\n`);
  const command = `${module}/cmd/adapter`;
  const go = { command: "go", cwd: source, env: goEnvironment };
  const listed = await runStep({
    ...go,
    name: "download Go modules of prometheus-adapter",
    args: ["list", "-mod=mod", "-deps", "-f", "{{.ImportPath}}", command],
  });
  const built = join(source, "adapter");
  await runStep({
    ...go,
    name: "build prometheus-adapter",
    args: ["build", "-v", "-p", "2", ...buildFlags, "-ldflags", "-s -w", "-o", built, command],
    expectedLines: listed.lines,
  });
  await mkdir(folder, { recursive: true });
  await rename(built, file);
  await rm(source, { recursive: true, force: true });
  return { prometheusAdapter: file };
}
