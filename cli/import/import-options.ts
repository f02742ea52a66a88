import { type Command, Option } from "commander";

/** Where a verb that imports reads from, and what it does with what it has read. */
export interface ImportOptions {
  readonly allNamespaces?: boolean;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly apply?: boolean;
  readonly dryRunFirst?: boolean;
}

export function addImportOptions(command: Command): Command {
  return command
    .option("-A, --all-namespaces", "all namespaces of the cluster")
    .addOption(
      new Option("--kubeconfig <file>", "read the cluster that a kubeconfig of this machine names (KUBECONFIG)"),
    )
    .addOption(new Option("--kube-context <name>", "the kubeconfig's context; default: its current one"))
    .option("--apply", "write the entries into the table; without it they are printed as YAML")
    .option("--dry-run-first", "entries decide and record, and write no scale until `ebb dry-run hpa NAME off`");
}
