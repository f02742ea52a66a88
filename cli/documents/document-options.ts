import { type Command, Option } from "commander";

/** The options of a command that reads documents. */
export interface DocumentOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

export function addDocumentOptions(command: Command): Command {
  return command
    .requiredOption("-f, --filename <path>", "a file, a folder, or - for standard input; repeatable", collect)
    .option("-R, --recursive", "also read the subfolders of a folder");
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export type DryRun = "none" | "client" | "server";

/** kubectl's --dry-run. Here both strategies read the table and write nothing; only the printed suffix differs. */
export function dryRunOption(): Option {
  return new Option("--dry-run [strategy]", "show what would be done, write nothing")
    .choices(["none", "client", "server"])
    .preset("client")
    .default("none");
}

/** The suffix of each line that a dry run prints. */
export const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};
