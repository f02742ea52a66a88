import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";

/** A line that would take too much memory. It is not parsed. */
export interface RefusedLine {
  readonly problem: string;
}

/**
 * What a line may hold, so that the process stays below 100 MiB: a situation with 1,300 pods. A value or a level of
 * nesting takes up to a hundred times the memory of its text.
 */
const most = { bytes: 1024 * 1024, values: 80_000, levels: 100 };

/** A line of up to so many characters cannot do harm, whatever it holds. */
const harmless = 64 * 1024;

const longLine: RefusedLine = { problem: `expected a line of at most ${most.bytes} bytes, got a longer one` };

/** So many characters of answers go out in one piece. */
const pieceLength = 16 * 1024;

/**
 * Answers the lines of `input`, in order, each with a line. Only one line is in memory at a time, and answers are
 * written while their lines come in. Rejects if a stream fails.
 */
export async function answerLines(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  answer: (line: string | RefusedLine) => string,
): Promise<void> {
  async function* answers(chunks: AsyncIterable<string | Buffer>) {
    const reader = lineReader();
    for await (const chunk of chunks) yield* pieces(reader.read(chunk), answer);
    yield* pieces(reader.end(), answer);
  }
  await pipeline(input, answers, output, { end: false });
}

function* pieces(
  lines: Iterable<string | RefusedLine>,
  answer: (line: string | RefusedLine) => string,
): Generator<string> {
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
  let bytes = 0;

  function* read(chunk: string | Buffer): Generator<string | RefusedLine> {
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
    bytes += bytesOf(part);
    rest = bytes > most.bytes ? "" : rest + part;
  }

  function take(): string | RefusedLine {
    const line = bytes > most.bytes ? longLine : rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    rest = "";
    bytes = 0;
    return typeof line === "string" && line.length > harmless ? (refusal(line) ?? line) : line;
  }

  function* end(): Generator<string | RefusedLine> {
    keep(decoder.end());
    if (bytes > 0) yield take();
  }

  return { read, end };
}

/** Exact for a part that could matter. */
function bytesOf(part: string): number {
  return part.length < harmless / 4 ? part.length : Buffer.byteLength(part);
}

/** undefined: the line may be parsed. Brackets in a text count, too: no document has that many. */
function refusal(line: string): RefusedLine | undefined {
  let values = 0;
  let level = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charCodeAt(at);
    if (character === COMMA) values += 1;
    else if (character === BRACKET || character === BRACE) {
      values += 1;
      level += 1;
      if (level > most.levels) return { problem: `expected at most ${most.levels} levels of nesting, got more` };
    } else if (character === BRACKET + 2 || character === BRACE + 2) level -= 1;
    if (values > most.values) return { problem: `expected at most ${most.values} values in a line, got more` };
  }
  return undefined;
}

const COMMA = 44;
/** "[" and "{". Their closing ones come two later. */
const BRACKET = 91;
const BRACE = 123;
