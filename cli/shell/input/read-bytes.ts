import { growingBuffer } from "../../../lib/async/growing-buffer";
import { failure } from "../failure";

/** YAML takes 70 times its size in memory. */
const mostBytes = 32 * 1024 * 1024;

export const tooLarge = `expected at most ${mostBytes / 1024 / 1024} MB, got more`;

/** @throws Failure for too much of it, or UTF-32 */
export async function readAll(
  given: AsyncIterable<unknown>,
  name: string,
  refusal = `${name}: ${tooLarge}: split it`,
): Promise<string> {
  const all = growingBuffer();
  for await (const chunk of given) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    if (all.length + bytes.length > mostBytes) throw failure(refusal);
    all.append(bytes);
  }
  return decoded(all.bytes(), name);
}

/** Its byte order mark. */
const utf32 = Buffer.from([0xff, 0xfe, 0, 0]);

/**
 * As kubectl reads it, UTF-16 included, which PowerShell's `>` writes. Without a mark, every other byte of it is 0.
 * Files that were joined have a mark in the middle, too, where a document begins.
 */
function decoded(bytes: Buffer, name: string): string {
  const [first, second, third, fourth] = bytes;
  const zeros = [first, second, third, fourth].filter((byte) => byte === 0).length;
  if (zeros === 3 || bytes.subarray(0, 4).equals(utf32) || bytes.subarray(0, 4).equals(Buffer.from(utf32).reverse()))
    throw failure(`${name}: expected UTF-8 or UTF-16, got UTF-32: save it as UTF-8`);
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && fourth === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0);
  if (!isLittle && !isBig) return bytes.toString("utf8").replace(/^\uFEFF/gm, "");
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return (isBig ? Buffer.from(even).swap16() : even).toString("utf16le").replace(/^\uFEFF/gm, "");
}
