import { type Command, Option } from "commander";

/** What a verb that takes documents is given. */
export interface DocumentOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

export function addDocumentOptions(command: Command): Command {
  return command
    .requiredOption("-f, --filename <path>", "a file, a folder, or - for standard input; repeatable", collect)
    .option("-R, --recursive", "go into the folders of a folder, too");
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export type DryRun = "none" | "client" | "server";

/** kubectl's --dry-run. Here both strategies read the table and write nothing; they differ in what is printed. */
export function dryRunOption(): Option {
  return new Option("--dry-run [strategy]", "show what would be done, write nothing")
    .choices(["none", "client", "server"])
    .preset("client")
    .default("none");
}

/** What follows a result of a dry run. */
export const dryRunSuffix: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};
