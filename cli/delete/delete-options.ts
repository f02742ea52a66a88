import { type Command } from "commander";
import { collect, type DryRun, dryRunOption } from "../documents/document-options";
import { failure } from "../failure";
import { addGlobalOptions } from "../global-options";
import type { Narrowing } from "../resources/find";

export interface DeleteOptions extends Narrowing {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly all?: boolean;
  readonly cascade?: boolean;
  readonly dryRun: DryRun;
  readonly ignoreNotFound?: boolean;
  readonly output?: "name";
}

export function addDeleteOptions(command: Command): Command {
  command
    .option("-f, --filename <path>", "the objects of a file, a folder, or - for standard input; repeatable", collect)
    .option("-R, --recursive", "go into the folders of a folder, too")
    .option("-l, --selector <selector>", "objects whose labels match, such as -l app=web,tier!=cache")
    .option("--all", "all objects of the type, of the namespace")
    .option("-A, --all-namespaces", "with --all or -l: of all namespaces")
    .option("--cascade", "a cluster's HPAs and metric sources with it")
    .option("--ignore-not-found", "what is not there is no error")
    .option("-o, --output <format>", "name: print only type and name")
    .addOption(dryRunOption());
  return addGlobalOptions(command);
}

/** @throws Failure, in kubectl's words, for what does not go together, or says too little to delete by it. */
export function checkDeleteOptions(args: readonly string[], options: DeleteOptions): void {
  const { filename, all = false, selector, output } = options;
  const named = args.length > 1 || (args[0]?.includes("/") ?? false);
  if (output !== undefined && output !== "name")
    throw failure(`unexpected -o output mode: ${String(output)}. We only support '-o name'`, 2);
  if (filename !== undefined && args.length > 0)
    throw failure("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well", 2);
  if (all && selector !== undefined) throw failure("cannot set --all and --selector at the same time", 2);
  if (named && all) throw failure("name cannot be provided when a selector is specified", 2);
  if (filename === undefined && args.length > 0 && !named && !all && selector === undefined)
    throw failure("resource(s) were provided, but no name was specified", 2);
}
