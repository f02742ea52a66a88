import { existsSync } from "node:fs";
import { cp, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { onPath } from "./debian.mjs";
import { addPart, goProgram } from "./go-program.mjs";
import { download, kubernetesVersion } from "./kubernetes.mjs";

const version = "v1.10.1";
const module = "github.com/argoproj/argo-rollouts";
const program = "test/e2e/servers/argo-rollouts";
const stubs = resolve(import.meta.dirname, "../..", program, "stubs");

/** Its Rollout controller, and all that it needs. Stubs take the place of notifications, AWS and metric providers. */
const folders = ["controller/metrics", "pkg/apis", "pkg/client", "rollout", "utils"];
const leftOut =
  /_test\.go$|\/(fake|mocks?|test)\/|^utils\/(record|aws|analysis\/factory)\/|^rollout\/trafficrouting\/alb\//;
/** Else Go finds its packages in two modules. */
const indirect = ["google.golang.org/genproto"];
/** Kubernetes' command line, for one function that ends the process. */
const checksErrors = '"k8s.io/kubectl/pkg/cmd/util"';

async function prepare(build) {
  const { Dir: source } = await download(module, version);
  const all = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(source, folder), { recursive: true });
      return names.map((name) => `${folder}/${name}`);
    }),
  );
  const paths = all.flat().filter((name) => /\.go$/.test(name) && !leftOut.test(name));
  const change = (text) =>
    text
      .replace(checksErrors, 'util "k8s.io/apimachinery/pkg/util/runtime"')
      .replaceAll("util.CheckErr(", "util.Must(");
  await addPart(build, { module, version, source, paths, change, stubs, indirect });
}

/**
 * The Rollout controller of Argo Rollouts, with the libraries of this Kubernetes, and the folder of its kinds'
 * definitions. A machine without Go goes without: only its own suite fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function argoRollouts() {
  if ((await onPath("go")) === undefined) {
    console.log("servers: no Argo Rollouts: Go builds it (https://go.dev/dl).");
    return {};
  }
  const key = `${version} ${kubernetesVersion} ${await readFile(import.meta.filename, "utf8")}`;
  const file = await goProgram({ name: "argo-rollouts", folders: [program], version: key, prepare });
  const definitions = join(dirname(file), `argo-rollouts-crds-${version}`);
  if (!existsSync(definitions))
    await cp(join((await download(module, version)).Dir, "manifests/crds"), definitions, { recursive: true });
  return { argoRollouts: file, argoRolloutsDefinitions: definitions };
}
