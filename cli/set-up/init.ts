import { access, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Command, Option } from "commander";
import clusterSchema from "../../docs/schema/cluster.json";
import hpaSchema from "../../docs/schema/hpa.json";
import sourceSchema from "../../docs/schema/metric-source.json";
import { present } from "../../lib/k8s/map";
import { type KindName, sourceKinds } from "../../lib/sources/registry";
import { makeFolder } from "../../local/guard/private-files";
import { hasContext, kubeconfigsOf } from "../shell/connect/kubeconfigs";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { openOutput } from "../shell/output";
import type { CliEnvironment } from "../shell/environment";
import { type Starter, clusterFile, schemaFolder, serviceAccountName } from "./cluster-file";
import { type GivenCluster, starterFromKubeconfig, starterFromOptions } from "./from-kubeconfig";
import { cpuFile, queueFile, sourceFile } from "./hpa-files";
import { nextSteps } from "./next-steps";

/** The user owns these files. */
export function starterFiles(starter: Starter): Readonly<Record<string, string>> {
  return {
    "cluster.yaml": clusterFile(starter),
    "hpa-queue.yaml": queueFile(starter),
    "hpa-cpu.yaml": cpuFile(starter),
    "source.yaml": sourceFile(starter),
    ...(starter.spec.auth.type === "token" && { [serviceAccountName]: serviceAccountFile }),
  };
}

/** For editors; a newer ebb replaces them. */
export function schemaFiles(): Readonly<Record<string, string>> {
  const schemas = { "cluster.json": clusterSchema, "hpa.json": hpaSchema, "metric-source.json": sourceSchema };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      `${schemaFolder}/${name}`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  );
}

interface InitOptions extends GivenCluster {
  /** true: the current context. */
  readonly fromKubeconfig?: string | true;
  readonly kubeconfig?: string;
  readonly source?: KindName;
  readonly force?: boolean;
}

export function initCommand(environment: CliEnvironment): Command {
  return new Command("init")
    .description("Write starter files: a cluster, two HPAs and a metric source, with schemas for your editor.")
    .argument("[DIR]", "the folder to write to", ".")
    .option("--cluster <name>", "the cluster's name (default: as in EKS or the kubeconfig)")
    .option("--eks <name>", "the EKS cluster's name in AWS")
    .option("--region <region>", "the EKS cluster's region")
    .option("--role-arn <arn>", "the IAM role to assume for it")
    .option(
      "--from-kubeconfig [context]",
      "take endpoint, CA and kind of authentication from a kubeconfig's context, or from the current context of this file",
    )
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("-n, --namespace <namespace>", "the HPAs' namespace (default: default)")
    .addOption(
      new Option("--source <kind>", "scale hpa-queue.yaml by a metric source of this kind").choices(
        Object.keys(sourceKinds),
      ),
    )
    .option("--force", "overwrite existing files")
    .addHelpText(
      "after",
      examples([
        ["An EKS cluster, with endpoint and CA from the kubeconfig", "ebb init --from-kubeconfig"],
        ["An EKS cluster by name; you fill in the endpoint", "ebb init ebb --eks prod --region eu-central-1"],
        ["Any other cluster", "ebb init ebb --cluster prod"],
        ["Consumers of a Kafka topic", "ebb init ebb --cluster prod --source kafka"],
      ]),
    )
    .action(async (directory: string, given: Partial<InitOptions>, command: Command) => {
      const options = { namespace: "default", ...globalOptions(command), ...given };
      const { source } = options;
      const starter = { ...(await starterOf(options, environment.env)), ...present({ source }) };
      const files = starterFiles(starter);
      if (options.force !== true) await refuseExisting(directory, Object.keys(files));
      const out = openOutput(environment);
      for (const [name, content] of Object.entries({ ...schemaFiles(), ...files })) {
        const path = join(directory, name);
        await makeFolder(dirname(path));
        await writeFile(path, content);
        if (name in files) out.print(`${path} created`);
      }
      for (const hint of starter.hints ?? []) out.warn(hint);
      out.note(...nextSteps(starter, directory).split("\n"));
    });
}

async function starterOf(options: InitOptions, env: CliEnvironment["env"]): Promise<Starter> {
  const { fromKubeconfig, kubeconfig } = options;
  if (fromKubeconfig === undefined && kubeconfig === undefined) return starterFromOptions(options);
  const given = typeof fromKubeconfig === "string" ? fromKubeconfig : undefined;
  const file = kubeconfig ?? (given === undefined ? undefined : await kubeconfigAt(given, env));
  const files = file === undefined ? kubeconfigsOf(env) : [file];
  const context = file !== undefined && file !== kubeconfig ? undefined : given;
  return starterFromKubeconfig({
    ...options,
    files,
    ...present({ file, context }),
  });
}

/** People also give --from-kubeconfig a file. Undefined: it is no file. */
async function kubeconfigAt(given: string, env: CliEnvironment["env"]): Promise<string | undefined> {
  const found = await stat(given).catch(() => undefined);
  if (found === undefined || (await hasContext(given, env))) return undefined;
  if (found.isDirectory())
    throw failure(
      `--from-kubeconfig: expected a context or a kubeconfig, got the folder ${given}: name it first, as in \`ebb init ${given} --from-kubeconfig\``,
    );
  return given;
}

async function refuseExisting(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(directory, name);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) throw failure(`${path} already exists: --force overwrites it`);
  }
}

/** For `auth.type: token`. Equals infra/kubernetes/service-account.yaml. */
export const serviceAccountFile = `# A user for ebb: a service account whose token does not expire. At first, it may do nothing. To revoke the token, delete the Secret.
apiVersion: v1
kind: Namespace
metadata:
  name: ebb
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: ebb
  namespace: ebb
automountServiceAccountToken: false
---
apiVersion: v1
kind: Secret
metadata:
  name: ebb-token
  namespace: ebb
  annotations: { kubernetes.io/service-account.name: ebb }
type: kubernetes.io/service-account-token
`;
