import { parsedMemory } from "../../model/size";

/** The SDK does not retry it: the next answer would be as large. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(limit: string) {
    super(`more than ${limit}`);
  }
}

/**
 * Memory to parse each byte of the bound. The largest page of a table, 1 MB of empty texts, is 9 MB of JSON and takes
 * 123 MB. 16 MB of `[` would take 1 GB.
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
