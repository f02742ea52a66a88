import { type Command, Option } from "commander";
import { clusterAnnotation, dryRunAnnotation } from "../../../lib/model/entry/annotation-names";
import { resolveSettings } from "../../shell/settings";
import { globalOptions } from "../../shell/global-options";
import { openOutput } from "../../shell/output";
import { type Session, withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";
import { quoted } from "../../shell/advice/print";

export interface ImportOptions {
  readonly filename?: readonly string[];
  readonly allNamespaces?: boolean;
  readonly kubeconfig?: string;
  readonly kubeContext?: string;
  readonly apply?: boolean;
  readonly dryRunFirst?: boolean;
}

export function addImportOptions(command: Command): Command {
  return command
    .option("-A, --all-namespaces", "all namespaces of the cluster")
    .addOption(new Option("--kubeconfig <file>", "read the cluster of this kubeconfig (KUBECONFIG)"))
    .addOption(new Option("--kube-context <name>", "the kubeconfig's context; default: its current one"))
    .option("--apply", "write the entries into the table instead of printing them as YAML")
    .option("--dry-run-first", "decide and record, but write no scale until `ebb dry-run hpa NAME off`");
}

export interface ImportContext extends Pick<Session, "settings" | "out" | "signal" | "now"> {
  readonly env: CliEnvironment["env"];
  readonly session?: Session;
}

export async function withImportContext(
  environment: CliEnvironment,
  given: { readonly command: Command; readonly needsTable: boolean },
  run: (context: ImportContext) => Promise<number>,
): Promise<void> {
  const { env, now, interrupted: signal } = environment;
  if (given.needsTable) {
    return withSession(environment, given.command, (session) => run({ ...session, env, session }));
  }
  const options = globalOptions(given.command);
  const settings = await resolveSettings(options, env);
  environment.exitWith(await run({ settings, out: openOutput(environment, options.color), signal, now, env }));
}

export function importedAnnotations(
  cluster: string | undefined,
  options: ImportOptions,
): Readonly<Record<string, string>> {
  return {
    ...(cluster !== undefined && { [clusterAnnotation]: cluster }),
    ...(options.dryRunFirst === true && { [dryRunAnnotation]: "true" }),
  };
}

/**
 * Never uses the reader's current context by accident. For a registered cluster, kubectl refuses a context that does
 * not exist.
 */
export function kubectlFor(
  { kubeconfig, kubeContext }: Pick<ImportOptions, "kubeconfig" | "kubeContext">,
  cluster = "CONTEXT",
): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  const context = kubeContext ?? (kubeconfig === undefined ? cluster : undefined);
  return `kubectl${file}${context === undefined ? "" : ` --context ${quoted(context)}`}`;
}
