import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { ask, runStep } from "./step.mjs";

export const kubernetesVersion = "v1.37.2";
/** The etcd version that this Kubernetes tests with (its go.mod). */
export const etcdVersion = "v3.7.0";
const leastGo = [1, 26];

const kubernetesFolder = join(cacheFolder, "kubernetes", kubernetesVersion);
const etcdFolder = join(cacheFolder, "etcd", etcdVersion);

const pieces = [
  { key: "etcd", binary: "etcd", folder: etcdFolder, package: "go.etcd.io/etcd/server/v3", built: "server" },
  kubernetesPiece("kubectl", "kubectl"),
  kubernetesPiece("kubeApiserver", "kube-apiserver"),
  kubernetesPiece("kubeControllerManager", "kube-controller-manager"),
];

function kubernetesPiece(key, binary) {
  return { key, binary, folder: kubernetesFolder, package: `k8s.io/kubernetes/cmd/${binary}`, built: binary };
}

/**
 * Paths of etcd, kubectl, kube-apiserver and kube-controller-manager. A binary comes from KUBEBUILDER_ASSETS if it is
 * there, else from the cache. Builds the missing ones once, from the Go module proxy.
 * @returns {Promise<Record<string, string>>}
 */
export async function kubernetesServers() {
  const found = {};
  const missing = [];
  for (const piece of pieces) {
    const cached = join(piece.folder, piece.binary);
    const file = (await fromAssets(piece.binary)) ?? cached;
    found[piece.key] = file;
    if (file === cached && !(await isExecutable(cached))) missing.push(piece);
  }
  if (missing.length > 0) await build(missing);
  return found;
}

async function fromAssets(binary) {
  if (!env.KUBEBUILDER_ASSETS) return undefined;
  const file = join(env.KUBEBUILDER_ASSETS, binary);
  return (await isExecutable(file)) ? file : undefined;
}

/**
 * One build of all of them: Go compiles packages that they share once, and links one while it compiles another. A
 * binary gets its name only when it is complete, so a file of that name needs no rebuild.
 */
async function build(missing) {
  await checkGo();
  const source = join(cacheFolder, "kubernetes", "build");
  await rm(source, { recursive: true, force: true });
  await mkdir(join(source, "bin"), { recursive: true });
  await writeModule(source);
  const packages = missing.map((piece) => piece.package);
  const names = missing.map(({ binary }) => binary).join(", ");
  const go = { command: "go", cwd: source, env: goEnvironment };
  const listed = await runStep({
    ...go,
    name: "download Go modules",
    args: ["list", "-mod=mod", "-deps", "-f", "{{.ImportPath}}", ...packages],
  });
  await runStep({
    ...go,
    name: `build ${names}`,
    args: ["build", "-v", ...buildFlags, "-ldflags", linkerFlags, "-o", `${join(source, "bin")}/`, ...packages],
    expectedLines: listed.lines,
  });
  for (const { binary, folder, built } of missing) {
    await mkdir(folder, { recursive: true });
    await rename(join(source, "bin", built), join(folder, binary));
  }
  await rm(source, { recursive: true, force: true });
}

/**
 * Servers, recorder and decider share modules and compiled packages: in EBB_CACHE, or without it where Go keeps them
 * for all checkouts of a machine.
 */
export const goEnvironment = {
  CGO_ENABLED: "0",
  GOWORK: "off",
  ...(env.EBB_CACHE
    ? {
        GOCACHE: join(cacheFolder, "go", "build"),
        GOFLAGS: "-modcacherw", // else nobody can delete the cache
        GOMODCACHE: join(cacheFolder, "go", "mod"),
      }
    : { GOFLAGS: "" }),
};

const versionPackages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
const [major, minor] = kubernetesVersion.slice(1).split(".");
const versionVariables = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
export const linkerFlags = [
  "-s -w",
  ...versionPackages.flatMap((of) =>
    Object.entries(versionVariables).map(([name, value]) => `-X ${of}.${name}=${value}`),
  ),
].join(" ");

/**
 * Without debug information, and without inlining outside the standard library: a third of the compiler's work, which
 * servers of tests do not miss.
 */
export const buildFlags = [
  "-trimpath",
  "-buildvcs=false",
  "-mod=mod",
  "-gcflags=all=-dwarf=false -l",
  "-gcflags=std=-dwarf=false",
];

export async function checkGo() {
  const printed = await ask("go", ["env", "GOVERSION"], goAdvice);
  const [, goMajor, goMinor] = /go(\d+)\.(\d+)/.exec(printed) ?? [];
  if (Number(goMajor) === leastGo[0] && Number(goMinor) < leastGo[1])
    throw new Error(`${printed} is too old: ${goAdvice}`);
}

const goAdvice =
  `Go ${leastGo.join(".")} or newer builds the Kubernetes ${kubernetesVersion} servers (https://go.dev/dl). ` +
  "Or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kubectl and kube-controller-manager.";

/**
 * One module for all of them, so that they share the versions that Kubernetes tests with. Outside Kubernetes' own
 * workspace, each staging module (`v0.0.0` in its go.mod) must be replaced by its release, and
 * required by it: else a program that imports one gets it by another version, and Go compiles all of it again.
 */
export async function writeModule(source) {
  const upstream = await readFile((await download()).GoMod, "utf8");
  const staging = [...upstream.matchAll(/^\s+(k8s\.io\/\S+) v0\.0\.0$/gm)].map(([, name]) => name);
  const release = kubernetesVersion.replace(/^v1\./, "v0.");
  const replaces = staging.map((name) => `replace ${name} => ${name} ${release}\n`);
  const [goLine] = /^go .*$/m.exec(upstream);
  const requires = [`k8s.io/kubernetes ${kubernetesVersion}`, `go.etcd.io/etcd/server/v3 ${etcdVersion}`];
  const staged = staging.map((name) => `${name} ${release}`);
  const blocks = [
    "module servers",
    goLine,
    `require (\n\t${[...requires, ...staged].join("\n\t")}\n)`,
    replaces.join(""),
  ];
  await writeFile(join(source, "go.mod"), `${blocks.join("\n\n")}\n`);
}

/** The folder of Kubernetes' sources, in Go's module cache. */
export async function upstreamSources() {
  return (await download()).Dir;
}

/** The same of a module that Kubernetes releases beside itself: "k8s.io/api". */
export async function moduleFolder(module) {
  return (await download(module, kubernetesVersion.replace(/^v1\./, "v0."))).Dir;
}

export async function download(module = "k8s.io/kubernetes", version = kubernetesVersion) {
  return JSON.parse(await ask("go", ["mod", "download", "-json", `${module}@${version}`], goAdvice, goEnvironment));
}
