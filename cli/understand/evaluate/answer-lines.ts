import { InvalidArgumentError, Option } from "commander";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";

export interface RefusedLine {
  readonly problem: string;
}

/** Per MiB of the limit. A value takes up to a hundred times the memory of its text. */
const mebibyte = { bytes: 1024 * 1024, values: 80_000 };

const mostLevels = 100;

const defaultLimit = 1;
const largestLimit = 256;

const harmless = 64 * 1024;

const pieceLength = 16 * 1024;

export function lineLimitOption(when = ""): Option {
  const text = `${when}the longest line, in MiB (default: 1, which keeps the process below 100 MiB; 10,000 pods need 8)`;
  return new Option("--line-limit <MiB>", text).argParser((given) => {
    const limit = Number(given);
    if (Number.isInteger(limit) && limit >= 1 && limit <= largestLimit) return limit;
    throw new InvalidArgumentError(`expected a whole number from 1 to ${largestLimit}`);
  });
}

export interface Lines {
  readonly input: Readable;
  readonly output: Writable;
  readonly lineLimit?: number;
}

/** Answers each line of `input` with a line, in order, and holds only one in memory. Rejects if a stream fails. */
export async function answerLines(
  { input, output, lineLimit = defaultLimit }: Lines,
  answer: (line: string | RefusedLine) => string,
): Promise<void> {
  async function* answers(chunks: AsyncIterable<string | Buffer>) {
    const reader = lineReader(lineLimit);
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

/** Only " " ends a line: U+2028 may occur in a JSON string. */
function lineReader(limit: number) {
  const most = { bytes: limit * mebibyte.bytes, values: limit * mebibyte.values };
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
    const line = bytes > most.bytes ? longLine(bytes, limit) : rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    rest = "";
    bytes = 0;
    return typeof line === "string" && line.length > harmless ? (refusal(line, most.values) ?? line) : line;
  }

  function* end(): Generator<string | RefusedLine> {
    keep(decoder.end());
    if (bytes > 0) yield take();
  }

  return { read, end };
}

function bytesOf(part: string): number {
  return part.length < harmless / 4 ? part.length : Buffer.byteLength(part);
}

function longLine(bytes: number, limit: number): RefusedLine {
  const needed = Math.ceil(bytes / mebibyte.bytes);
  const todo = needed > largestLimit ? "" : `: --line-limit ${needed} allows it, in more memory`;
  return { problem: `expected a line of at most ${limit} MiB, got one of ${bytes} bytes${todo}` };
}

/** Undefined: may be parsed. Counts brackets in strings too, which real documents do not have. */
function refusal(line: string, mostValues: number): RefusedLine | undefined {
  let values = 0;
  let level = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charCodeAt(at);
    if (character === COMMA) values += 1;
    else if (character === BRACKET || character === BRACE) {
      values += 1;
      level += 1;
      if (level > mostLevels) return { problem: `expected at most ${mostLevels} levels of nesting, got more` };
    } else if (character === BRACKET + 2 || character === BRACE + 2) level -= 1;
    if (values > mostValues)
      return {
        problem: `expected at most ${mostValues} values in a line, got more: a larger --line-limit allows more`,
      };
  }
  return undefined;
}

const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;
