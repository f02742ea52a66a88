import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { ask, runStep } from "./step.mjs";

export const kubernetesVersion = "v1.36.3";
/** The etcd version that this Kubernetes tests with (its go.mod). */
export const etcdVersion = "v3.6.8";
const leastGo = [1, 26];

const kubernetesFolder = join(cacheFolder, "kubernetes", kubernetesVersion);
const etcdFolder = join(cacheFolder, "etcd", etcdVersion);

/** In build order: kubectl is first because it is small, and users can use it while the others build. */
const pieces = [
  { key: "etcd", binary: "etcd", folder: etcdFolder, module: etcdModule, package: "go.etcd.io/etcd/server/v3" },
  kubernetesPiece("kubectl", "kubectl"),
  kubernetesPiece("kubeApiserver", "kube-apiserver"),
  kubernetesPiece("kubeControllerManager", "kube-controller-manager"),
];

function kubernetesPiece(key, binary) {
  const path = `k8s.io/kubernetes/cmd/${binary}`;
  return { key, binary, folder: kubernetesFolder, module: kubernetesModule, package: path };
}

/**
 * Paths of etcd, kubectl, kube-apiserver and kube-controller-manager. A binary comes from KUBEBUILDER_ASSETS if it is
 * there, else from the cache. Builds missing ones once, from the Go module proxy (3 to 6 minutes on two cores).
 * @returns {Promise<Record<string, string>>}
 */
export async function kubernetesServers() {
  const found = {};
  for (const piece of pieces) found[piece.key] = (await fromAssets(piece.binary)) ?? (await built(piece));
  return found;
}

async function fromAssets(binary) {
  if (!env.KUBEBUILDER_ASSETS) return undefined;
  const file = join(env.KUBEBUILDER_ASSETS, binary);
  return (await isExecutable(file)) ? file : undefined;
}

/** The binary gets its name only when it is complete, so a file of that name needs no rebuild. */
async function built({ binary, folder, module, package: path }) {
  const file = join(folder, binary);
  if (await isExecutable(file)) return file;
  await checkGo();
  const source = join(folder, `build-${binary}`);
  await mkdir(source, { recursive: true });
  await module(source);
  await runStep({
    name: `build ${binary}`,
    command: "go",
    args: [
      "build",
      "-p",
      "2",
      "-trimpath",
      "-buildvcs=false",
      "-mod=mod",
      "-ldflags",
      linkerFlags,
      "-o",
      `${file}.partial`,
      path,
    ],
    cwd: source,
    env: { CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" },
  });
  await rename(`${file}.partial`, file);
  await rm(source, { recursive: true, force: true });
  return file;
}

const versionPackages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
const [major, minor] = kubernetesVersion.slice(1).split(".");
const versionVariables = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
const linkerFlags = [
  "-s -w",
  ...versionPackages.flatMap((of) =>
    Object.entries(versionVariables).map(([name, value]) => `-X ${of}.${name}=${value}`),
  ),
].join(" ");

let goChecked;
function checkGo() {
  return (goChecked ??= ask("go", ["env", "GOVERSION"], goAdvice).then((printed) => {
    const [, goMajor, goMinor] = /go(\d+)\.(\d+)/.exec(printed) ?? [];
    if (Number(goMajor) === leastGo[0] && Number(goMinor) < leastGo[1])
      throw new Error(`${printed} is too old: ${goAdvice}`);
  }));
}

const goAdvice =
  `Go ${leastGo.join(".")} or newer builds the Kubernetes ${kubernetesVersion} servers (https://go.dev/dl). ` +
  "Or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kubectl and kube-controller-manager.";

/** Outside Kubernetes' own workspace, each staging module (`v0.0.0` in its go.mod) must be replaced by its release. */
async function kubernetesModule(source) {
  const downloaded = await ask("go", ["mod", "download", "-json", `k8s.io/kubernetes@${kubernetesVersion}`], goAdvice);
  const upstream = await readFile(JSON.parse(downloaded).GoMod, "utf8");
  const staging = [...upstream.matchAll(/^\s+(k8s\.io\/\S+) v0\.0\.0$/gm)].map(([, name]) => name);
  const release = kubernetesVersion.replace(/^v1\./, "v0.");
  const replaces = staging.map((name) => `replace ${name} => ${name} ${release}\n`);
  const [goLine] = /^go .*$/m.exec(upstream);
  await writeModule(source, [goLine, `require k8s.io/kubernetes ${kubernetesVersion}`, replaces.join("")]);
}

async function etcdModule(source) {
  const modules = ["server", "api", "client", "client/pkg", "pkg"].map(
    (name) => `go.etcd.io/etcd/${name}/v3 ${etcdVersion}`,
  );
  await writeModule(source, [`go ${leastGo.join(".")}.0`, `require (\n\t${modules.join("\n\t")}\n)`]);
}

async function writeModule(source, blocks) {
  await writeFile(join(source, "go.mod"), `module servers\n\n${blocks.join("\n\n")}\n`);
}
