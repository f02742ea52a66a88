// Builds parity/keda, which answers as KEDA's own code does, and prints its path. Kept in the cache until its sources
// change.
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { exit } from "node:process";
import { addPart, goProgram } from "./go-program.mjs";
import { kedaVersion } from "./keda.mjs";
import { download, kubernetesVersion } from "./kubernetes.mjs";

const module = "github.com/kedacore/keda/v2";
/** The release for this Kubernetes. KEDA's own is of the one before. */
const controllerRuntime = "sigs.k8s.io/controller-runtime v0.25.1";
const stubs = resolve(import.meta.dirname, "../../parity/keda/stubs");

/** All of KEDA that decides about sizes. Its whole module needs 500 others, most of them for other sources. */
const packages = [
  ...["apis/eventing/v1alpha1", "apis/keda/v1alpha1", "pkg/common/message", "pkg/eventreason", "pkg/fallback"],
  ...[
    "pkg/metricscollector/webhook",
    "pkg/metricsservice/api",
    "pkg/scalers/authentication",
    "pkg/scalers/aws",
    "pkg/scalers/kafka",
  ],
  ...["pkg/scalers/scalersconfig", "pkg/scaling", "pkg/scaling/cache", "pkg/scaling/cache/metricscache"],
  ...["pkg/scaling/executor", "pkg/scaling/modifiers", "pkg/scaling/resolver", "pkg/scaling/scaledjob"],
  ...["pkg/status", "pkg/util", "version"],
];
const files = [
  ...["controllers/keda/hpa.go", "pkg/metricscollector/http_roundtripper.go", "pkg/scalers/scaler.go"],
  ...["apache_kafka", "aws_cloudwatch", "aws_sqs_queue", "cpu_memory", "cron"].map(ofScaler),
  ...[
    "kafka",
    "kubernetes_workload",
    "metrics_api",
    "postgresql",
    "prometheus",
    "rabbitmq",
    "redis",
    "redis_streams",
  ].map(ofScaler),
];

function ofScaler(name) {
  return `pkg/scalers/${name}_scaler.go`;
}

/** Replaced by a stub, or of tests. */
const leftOut = /_test\.go$|\/(ginkgo_reporter|\w+(keyvault|secretmanager|vault)_handler)\.go$/;
/** Without KEDA's version of it, Go would take one that is not served. */
const indirect = ["github.com/dysnix/predictkube-proto"];
const builder = "pkg/scaling/scalers_builder.go";

async function prepare(build) {
  const { Dir: source } = await download(module, kedaVersion);
  const ofPackages = await Promise.all(
    packages.map(async (folder) => (await readdir(join(source, folder))).map((name) => `${folder}/${name}`)),
  );
  const paths = [...ofPackages.flat(), ...files].filter((name) => name.endsWith(".go") && !leftOut.test(name));
  const change = (text, path) => (path === builder ? withKnownScalers(text) : text);
  const modules = { indirect, requires: [controllerRuntime] };
  await addPart(build, { module, version: kedaVersion, source, paths, change, stubs, ...modules });
}

/** KEDA's builder, with the constructors that are there. */
function withKnownScalers(text) {
  const constructors = files.map((path) =>
    path
      .split("/")
      .at(-1)
      .replace(/_|\.go$/g, ""),
  );
  return text
    .replace(/\tcase "[\w-]+":\n\t\treturn scalers\.New(\w+)\(.*\)\n/g, (all, name) =>
      constructors.includes(name.toLowerCase()) ? all : "",
    )
    .replace("func buildScaler(", "func buildScalerOf(");
}

try {
  const version = `${kedaVersion} ${kubernetesVersion} ${await readFile(import.meta.filename, "utf8")}`;
  const folders = ["parity/recorder", "parity/keda"];
  console.log(await goProgram({ name: "keda-recorder", folders, version, prepare }));
} catch (error) {
  console.error(error.message);
  exit(1);
}
