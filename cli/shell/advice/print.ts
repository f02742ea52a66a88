import { type Advice, type Command, ebbAlone, type Program } from "../../../lib/model/advice";
import type { Caller } from "./caller";

export function adviceText({ parts }: Advice, caller: Caller): string {
  return parts.map((part) => (typeof part === "string" ? part : shown(part, caller))).join("");
}

function shown(command: Command, caller: Caller): string {
  const isOnTable = command.pipe.some((program) => program.program === "aws" && program.onTable === true);
  if (!isOnTable || caller.awsOnTable !== undefined) return `\`${commandLine(command, caller)}\``;
  // The AWS CLI would find a table of this name in the reader's own account.
  const at = caller.flags.indexOf("--directory");
  const start = ebbAlone("start", ...(at < 0 ? [] : caller.flags.slice(at, at + 2)));
  return `\`${commandLine(start, caller)}\`, then ask again`;
}

export function commandLine({ pipe }: Command, caller: Caller): string {
  return pipe.map((program) => wordsOf(program, caller).map(quoted).join(" ")).join(" | ");
}

function wordsOf(program: Program, caller: Caller): readonly string[] {
  const { words } = program;
  switch (program.program) {
    case "ebb":
      return [...caller.ebb, ...words, ...(program.onTable ? caller.flags : [])];
    case "aws":
      if (program.onTable === true && caller.awsOnTable !== undefined)
        return [...caller.awsOnTable.words, ...words, "--table-name", caller.awsOnTable.table];
      return ["aws", ...words, ...(words.includes("--region") ? [] : caller.awsFlags)];
    case "kubectl":
      return [...caller.kubectl(program.cluster), ...words];
    case "other":
      return words;
  }
}

/** For a POSIX shell, even a context named "a; rm -r ~". */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
