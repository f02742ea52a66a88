import { access, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Command } from "commander";
import { examples } from "./examples";
import { failure } from "./failure";
import { globalOptions } from "./global-options";
import { starterFromKubeconfig } from "./init/from-kubeconfig";
import { type GivenCluster, starterFromOptions } from "./init/from-options";
import { nextSteps } from "./init/next-steps";
import { schemaFiles, starterFiles } from "./init/starter-files";
import type { Starter } from "./init/starter";
import { openOutput } from "./output";
import type { Surroundings } from "./surroundings";

interface InitOptions extends GivenCluster {
  /** true: the current context. */
  readonly fromKubeconfig?: string | true;
  readonly kubeconfig?: string;
  readonly force?: boolean;
}

/** `ebb init [DIR]`: files to begin with, which an editor completes and checks. */
export function initCommand(surroundings: Surroundings): Command {
  return new Command("init")
    .description("Write files to begin with: a cluster, two HPAs and a metric source, with schemas for your editor.")
    .argument("[DIR]", "the folder to write to", ".")
    .option("--cluster <name>", "what to call the cluster (default: as EKS or the kubeconfig does)")
    .option("--eks <name>", "the EKS cluster's name in AWS")
    .option("--region <region>", "the EKS cluster's region")
    .option("--role-arn <arn>", "the IAM role to assume for it")
    .option("--from-kubeconfig [context]", "take endpoint, CA and kind of authentication from a kubeconfig's context")
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("-n, --namespace <namespace>", "the HPAs' namespace (default: default)")
    .option("--force", "write over files that are there")
    .addHelpText(
      "after",
      examples([
        ["An EKS cluster, with endpoint and CA from the kubeconfig", "ebb init --from-kubeconfig"],
        ["An EKS cluster by name; the endpoint is left to fill in", "ebb init ebb --eks prod --region eu-central-1"],
        ["Any other cluster", "ebb init ebb --cluster prod"],
      ]),
    )
    .action(async (directory: string, given: Partial<InitOptions>, command: Command) => {
      const options = { namespace: "default", ...globalOptions(command), ...given };
      const starter = await starterOf(options, surroundings.env);
      const files = starterFiles(starter);
      if (options.force !== true) await refuseExisting(directory, Object.keys(files));
      const out = openOutput(surroundings);
      for (const [name, content] of Object.entries({ ...schemaFiles(), ...files })) {
        const path = join(directory, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
        if (name in files) out.print(`${path} created`);
      }
      out.note(nextSteps(starter, directory));
    });
}

function starterOf(options: InitOptions, env: Surroundings["env"]): Promise<Starter> | Starter {
  const { fromKubeconfig, kubeconfig } = options;
  if (fromKubeconfig === undefined && kubeconfig === undefined) return starterFromOptions(options);
  const files = kubeconfig === undefined ? kubeconfigsOf(env) : [kubeconfig];
  return starterFromKubeconfig({
    ...options,
    files,
    ...(typeof fromKubeconfig === "string" && { context: fromKubeconfig }),
  });
}

function kubeconfigsOf({ KUBECONFIG, HOME }: Surroundings["env"]): readonly string[] {
  const named = (KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  return named.length > 0 ? named : [join(HOME || homedir(), ".kube", "config")];
}

/** All are looked at before the first is written. */
async function refuseExisting(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(directory, name);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) throw failure(`${path} is there already: --force writes over it`);
  }
}
