import { doesSomething } from "../../cli/cli-reference";
import { findOption, walk } from "../../cli/set-up/completion-candidates";
import { ebbProgram } from "../../cli/program";
import { processEnvironment } from "../../cli/shell/environment";

export const program = ebbProgram(processEnvironment(new AbortController().signal));

/** The part of a command line that ebb would not know: a verb, a flag, or an operand that is missing. */
export function commandProblem(line: string): string | undefined {
  const words = (line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).slice(1);
  const { command, operands } = walk(program, words);
  if (!doesSomething(command)) return `${line}: no verb`;
  const flags = words.filter((word) => /^--?[a-zA-Z]/.test(word)).map((word) => word.split("=")[0] ?? "");
  const unknown = flags.find((flag) => findOption(command, flag) === undefined);
  if (unknown !== undefined) return `${line}: ${unknown}`;
  const required = command.registeredArguments.filter((argument) => argument.required).length;
  return operands.length < required ? `${line}: ${required} operands` : undefined;
}
