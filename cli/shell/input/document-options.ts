import { type Command, Option } from "commander";

export interface DocumentOptions {
  readonly filename?: readonly string[];
  readonly kustomize?: string;
  readonly recursive?: boolean;
}

export function addDocumentOptions(command: Command, recursive = "also read the subfolders of a folder"): Command {
  return command
    .option("-f, --filename <path>", "a file, a folder, a URL, or - for standard input; repeatable", collect)
    .option("-R, --recursive", recursive)
    .option("-k, --kustomize <dir>", "a kustomization; needs kubectl or kustomize");
}

export function addFilenameOption(command: Command): Command {
  return command.option("-f, --filename <path>", "the same as an argument, as kubectl has it; repeatable", collect);
}

export interface WriteOptions extends DocumentOptions {
  readonly importKeda?: boolean;
}

export function addWriteOptions(command: Command): Command {
  return addDocumentOptions(command).option("--import-keda", "also convert KEDA's ScaledObjects, as `ebb import keda`");
}

/** Repeatable, also with commas. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(",").filter((path) => path !== "")];
}

export type DryRun = "none" | "client" | "server";

/** Both of kubectl's strategies only read the table. */
export function dryRunOption(): Option {
  return new Option("--dry-run [strategy]", "show what would be done, write nothing")
    .choices(["none", "client", "server"])
    .preset("client")
    .default("none");
}

export const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};
