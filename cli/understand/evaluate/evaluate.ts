import { createReadStream } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { type Lines, type RefusedLine, answerLines, lineLimitOption } from "./answer-lines";
import { evaluateLine } from "./evaluate-line";
import { addFilenameOption } from "../../shell/input/document-options";
import { isClosedPipe, isOfFile, unreadable } from "../../shell/input/read-inputs";
import { failure } from "../../shell/failure";
import { examples } from "../../shell/help";
import type { CliEnvironment } from "../../shell/environment";

interface Options extends Pick<Lines, "lineLimit"> {
  readonly filename?: readonly string[];
}

export function evaluateCommand({ stdin, stdout }: Pick<CliEnvironment, "stdin" | "stdout"> = process): Command {
  const command = new Command("evaluate");
  return addFilenameOption(command)
    .description("Decide what the HPA would do: situations as JSON lines in, one decision a line out.")
    .argument("[FILE]", "JSON lines, each a situation or a story {hpa, options, steps}; default, and -: standard input")
    .addOption(lineLimitOption())
    .addHelpText("after", examples([["The decisions of some situations", "ebb evaluate examples/situation.jsonl"]]))
    .action(async (argument: string | undefined, { filename = [], lineLimit }: Options) => {
      const [file, ...more] = [...(argument === undefined ? [] : [argument]), ...filename];
      if (more.length > 0) throw failure(`expected one file, got ${[file, ...more].join(", ")}`);
      stayBelow100MiB();
      const isStdin = file === undefined || file === "-";
      const input = isStdin ? stdin : createReadStream(file);
      try {
        const { malformed } = await evaluateLines({ input, output: stdout, ...(lineLimit && { lineLimit }) });
        if (malformed > 0) process.exitCode = 1;
      } catch (error) {
        if (isClosedPipe(error)) return;
        if (!isStdin && isOfFile(error)) throw unreadable(file, error);
        command.error(`error: ${isStdin ? "standard input" : file}: ${messageOf(error)}`);
      }
    });
}

/**
 * By default, V8 first lets the heap grow by 50 MB and more. Lines leave nothing behind, and their errors need no
 * stack.
 */
export function stayBelow100MiB(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
  Error.stackTraceLimit = 0;
}

/** A malformed line gets `{id, error}` and affects no other. Rejects when a stream fails. */
export async function evaluateLines(lines: Lines): Promise<{ readonly malformed: number }> {
  let malformed = 0;
  await answerLines(lines, (line) => {
    const { answer, isMalformed } = typeof line === "string" ? evaluateLine(line) : refused(line);
    if (isMalformed) malformed += 1;
    return answer;
  });
  return { malformed };
}

function refused({ problem }: RefusedLine): ReturnType<typeof evaluateLine> {
  return { answer: JSON.stringify({ id: null, error: problem }), isMalformed: true };
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
