import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { evaluateDocument } from "./evaluate-line";
import { lines } from "./lines";
import { examples } from "../help";

/** `ebb evaluate [FILE]`: what the HPA would do in each situation, and why. */
export function evaluateCommand(): Command {
  const command = new Command("evaluate");
  return command
    .description("Decide what the HPA would do: situations as JSON lines in, one decision a line out.")
    .argument("[FILE]", "JSON lines, each a situation or a story {hpa, options, steps}; default: standard input")
    .addHelpText("after", examples([["The decisions of some situations", "ebb evaluate examples/situation.jsonl"]]))
    .action(async (file: string | undefined) => {
      const input = file === undefined ? process.stdin : createReadStream(file);
      try {
        const { malformed } = await evaluateLines(input, process.stdout);
        if (malformed > 0) process.exitCode = 1;
      } catch (error) {
        if (isClosedPipe(error)) return; // the reader closed the pipe: `ebb evaluate FILE | head`
        command.error(`error: ${file ?? "standard input"}: ${messageOf(error)}`);
      }
    });
}

/**
 * Answers each line at once and in order, with only one line in memory. A malformed line gets `{id, error}` and affects
 * no other. Rejects when a stream fails.
 */
export async function evaluateLines(input: Readable, output: Writable): Promise<{ readonly malformed: number }> {
  let malformed = 0;
  async function* answers(texts: AsyncIterable<string>) {
    for await (const text of texts) {
      const answer = answerLine(text);
      if ("error" in answer) malformed += 1;
      yield `${JSON.stringify(answer)}\n`;
    }
  }
  await pipeline(input, lines, answers, output, { end: false });
  return { malformed };
}

/** Any error that a line causes becomes the answer to that line. */
function answerLine(text: string): object {
  let id: unknown = null;
  try {
    const document: unknown = JSON.parse(text);
    id = idOf(document);
    return evaluateDocument(document);
  } catch (error) {
    return { id, error: messageOf(error) };
  }
}

function idOf(document: unknown): unknown {
  const hasId = typeof document === "object" && document !== null && Object.hasOwn(document, "id");
  return hasId ? (document as { id: unknown }).id : null;
}

function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
