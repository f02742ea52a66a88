import { growingBuffer } from "../../async/growing-buffer";
import { parsedMemory } from "../../model/size";

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; repeated values are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection cannot be reused. */
  readonly isLast: boolean;
}

export interface AnswerReader {
  readonly hasHead: boolean;
  /**
   * Returns the answer that these bytes complete. Copies what it needs of them.
   *
   * @throws Error for invalid HTTP; AnswerTooLarge for a body over its bounds
   */
  read(piece: Buffer): HttpAnswer | undefined;
  end(): HttpAnswer | undefined;
}

/** Like Node's parser. */
const maxHeadBytes = 16 * 1024;
const maxLineBytes = 1024;
const nothing = Buffer.alloc(0);

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const lengthText = /^\d{1,15}$/;
const chunkLine = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isLast: boolean;
  readonly size: number | "chunked" | "rest";
}

type Step = "head" | "sized" | "chunk size" | "chunk" | "chunk end" | "trailer" | "rest" | "complete";

export function answerReader(maxBytes: number): AnswerReader {
  const count = bodyBounds(maxBytes);
  const body = growingBuffer();
  let step: Step = "head";
  let head: Head | undefined;
  let unread: Buffer = nothing;
  let left = 0;
  let trailerBytes = 0;

  /** Without `end`. Undefined: it has not arrived yet. */
  function take(bytes: Buffer, end: string, most: number): Buffer | undefined {
    const at = bytes.indexOf(end, 0, "latin1");
    if (at > most || (at < 0 && bytes.length > most)) throw malformed("a head or a line without an end");
    return at < 0 ? undefined : bytes.subarray(0, at);
  }

  function begin(text: string): void {
    const found = readHead(text);
    if (found.status < 200) return; // an interim answer: the real one follows
    head = found;
    if (typeof found.size === "number") left = found.size;
    step = found.size === "chunked" ? "chunk size" : found.size === "rest" ? "rest" : "sized";
  }

  function complete(all: Uint8Array, isLast: boolean): HttpAnswer | undefined {
    if (head === undefined) return undefined;
    step = "complete";
    return { status: head.status, headers: head.headers, body: all, isLast: head.isLast || isLast };
  }

  function append(piece: Buffer): void {
    count(piece);
    body.append(piece);
  }

  function appendSized(bytes: Buffer): Buffer {
    const own = bytes.subarray(0, left);
    left -= own.length;
    if (own.length > 0) append(own);
    return bytes.subarray(own.length);
  }

  return {
    get hasHead() {
      return head !== undefined;
    },
    read(piece) {
      let bytes = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
      unread = nothing;
      for (;;) {
        switch (step) {
          case "head": {
            const text = take(bytes, "\r\n\r\n", maxHeadBytes);
            if (text === undefined) return void (unread = Buffer.from(bytes));
            bytes = bytes.subarray(text.length + 4);
            begin(text.toString("latin1"));
            break;
          }
          case "sized": {
            if (body.length === 0 && bytes.length >= left) {
              const all = Buffer.from(bytes.subarray(0, left));
              count(all);
              return complete(all, bytes.length > left);
            }
            bytes = appendSized(bytes);
            return left === 0 ? complete(body.bytes(), bytes.length > 0) : undefined;
          }
          case "chunk size": {
            const line = take(bytes, "\r\n", maxLineBytes);
            if (line === undefined) return void (unread = Buffer.from(bytes));
            bytes = bytes.subarray(line.length + 2);
            left = parseInt(matched(chunkLine, line.toString("latin1"), "the size of a chunk")[1] ?? "", 16);
            step = left === 0 ? "trailer" : "chunk";
            break;
          }
          case "chunk": {
            bytes = appendSized(bytes);
            if (left > 0) return undefined;
            step = "chunk end";
            break;
          }
          case "chunk end": {
            if (bytes.length < 2) return void (unread = Buffer.from(bytes));
            if (bytes[0] !== 0x0d || bytes[1] !== 0x0a) throw malformed("a chunk that is longer than its size");
            bytes = bytes.subarray(2);
            step = "chunk size";
            break;
          }
          case "trailer": {
            const line = take(bytes, "\r\n", maxHeadBytes - trailerBytes);
            if (line === undefined) return void (unread = Buffer.from(bytes));
            trailerBytes += line.length + 2;
            bytes = bytes.subarray(line.length + 2);
            if (line.length === 0) return complete(body.bytes(), bytes.length > 0);
            matched(headerLine, line.toString("latin1"), "a header");
            break;
          }
          case "rest":
            if (bytes.length > 0) append(bytes);
            return undefined;
          case "complete":
            throw malformed("bytes after its end");
        }
      }
    },
    end: () => (step === "rest" ? complete(body.bytes(), true) : undefined),
  };
}

function readHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, code] = matched(statusLine, first, "a status line of HTTP/1.1");
  const status = Number(code);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of lines) {
    const [, name = "", value = ""] = matched(headerLine, line, "a header");
    const key = name.toLowerCase();
    const known = headers[key];
    headers[key] = known === undefined ? value.trim() : `${known}, ${value.trim()}`;
  }
  const options = headers["connection"]?.toLowerCase() ?? "";
  const isLast = minor === "0" || options.split(",").some((option) => option.trim() === "close");
  return { status, headers, isLast, size: sizeOf(status, headers) };
}

/** RFC 9112, section 6.3. Two sizes are refused: they may hide a second answer. */
function sizeOf(status: number, headers: Readonly<Record<string, string>>): Head["size"] {
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (status < 200 || status === 204 || status === 304) return 0;
  if (encoding !== undefined) {
    if (length !== undefined) throw malformed("Transfer-Encoding and Content-Length");
    if (encoding.toLowerCase() !== "chunked") throw malformed(`Transfer-Encoding ${encoding}`);
    return "chunked";
  }
  if (length === undefined) return "rest";
  return Number(matched(lengthText, length, "a Content-Length")[0]);
}

function matched(form: RegExp, text: string, what: string): RegExpExecArray {
  const match = form.exec(text);
  if (match === null) throw new Error(`expected ${what}, got ${JSON.stringify(text.slice(0, 80))}`);
  return match;
}

function malformed(got: string): Error {
  return new Error(`expected an answer of HTTP/1.1, got ${got}`);
}

/** The SDK does not retry it: the next answer would be as large. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(limit: string) {
    super(`more than ${limit}`);
  }
}

/**
 * Memory to parse each byte of the bound. A page of 1 MB of empty texts is 9 MB of JSON and takes 123 MB; 16 MB of `[`
 * would take 1 GB.
 */
const memoryPerByte = 8;

/** Networks deliver 500 bytes and more at a time. A million pieces of one byte keep a function busy for a second. */
const bytesPerPiece = 256;

const freePieces = 1_000;

/** From the answer's head to its end. The SDK's own limits end at the head, or start again with each byte. */
export const bodyMs = 8_000;

/**
 * Counts the pieces of a body.
 * @throws AnswerTooLarge
 */
export function bodyBounds(maxBytes: number): (piece: Uint8Array) => void {
  let length = 0;
  let pieces = 0;
  let memory = 0;
  return (piece) => {
    const before = length;
    length += piece.length;
    pieces += 1;
    memory += parsedMemory(piece);
    if (length > maxBytes) throw new AnswerTooLarge(`${maxBytes} bytes`);
    if (memory > maxBytes * memoryPerByte)
      throw new AnswerTooLarge(`${maxBytes * memoryPerByte} bytes of memory for ${length} bytes`);
    if (pieces > freePieces + length / bytesPerPiece)
      throw new AnswerTooLarge(`${pieces - 1} pieces for ${before} bytes`);
  };
}
