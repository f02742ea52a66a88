import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";

/** A line that is longer than any document may be. It is not kept. */
export interface LongLine {
  readonly problem: string;
}

/** Far more than a situation with 10,000 pods has. */
const longestLine = 16 * 1024 * 1024;

const longLine: LongLine = { problem: `expected a line of at most ${longestLine} characters, got a longer one` };

/** So many characters of answers go out in one piece. */
const pieceLength = 64 * 1024;

/**
 * Answers the lines of `input`, in order, each with a line. Only one line is in memory at a time, and answers are
 * written while their lines come in. Rejects if a stream fails.
 */
export async function answerLines(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  answer: (line: string | LongLine) => string,
): Promise<void> {
  async function* answers(chunks: AsyncIterable<string | Buffer>) {
    const reader = lineReader();
    for await (const chunk of chunks) yield* pieces(reader.read(chunk), answer);
    yield* pieces(reader.end(), answer);
  }
  await pipeline(input, answers, output, { end: false });
}

function* pieces(lines: Iterable<string | LongLine>, answer: (line: string | LongLine) => string): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += `${answer(line)}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** The lines of a text, however it is cut into chunks. Only "\n" ends one: U+2028 may occur in a JSON string. */
function lineReader() {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isLong = false;

  function* read(chunk: string | Buffer): Generator<string | LongLine> {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      keep(text.slice(start, end));
      yield take();
      start = end + 1;
    }
    keep(text.slice(start));
  }

  function keep(part: string): void {
    isLong ||= rest.length + part.length > longestLine;
    rest = isLong ? "" : rest + part;
  }

  function take(): string | LongLine {
    const line = isLong ? longLine : rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    rest = "";
    isLong = false;
    return line;
  }

  function* end(): Generator<string | LongLine> {
    keep(decoder.end());
    if (isLong || rest !== "") yield take();
  }

  return { read, end };
}
