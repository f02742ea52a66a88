import type { Command } from "commander";
import type { Surroundings } from "./surroundings";

/** A verb that waits for standard input says so, where that is a terminal: it would look as if it hung. */
export function announceStdin(verb: Command, { stdin, stderr }: Pick<Surroundings, "stdin" | "stderr">): void {
  if (stdin.isTTY !== true) return;
  const { filename = [] } = verb.opts<{ readonly filename?: readonly string[] }>();
  const takesFiles = verb.registeredArguments.some((argument) => argument.name() === "FILE");
  const files = [...(takesFiles ? verb.args : []), ...filename];
  const isLines = verb.name() === "evaluate";
  if (!files.includes("-") && !(isLines && files.length === 0)) return;
  const what = isLines ? "reading situations from standard input, one a line" : "reading from standard input";
  stderr.write(`${what}; Ctrl-D ends it\n`);
}
