/**
 * Bytes that arrive in pieces, copied into one block. A kept piece would cost more than its bytes: it is an object of
 * its own, and keeps in memory all of the block that it was cut from.
 */
export interface GrowingBuffer {
  readonly length: number;
  append(piece: Uint8Array): void;
  /** The bytes so far, or the last `count` of them. Valid until the next `append` or `clear`. */
  bytes(count?: number): Buffer;
  /** The bytes so far, as UTF-8. */
  text(): string;
  clear(): void;
}

const firstBytes = 1024;
/** `clear` keeps a block of this size. */
const largestCachedBytes = 64 * 1024;

export function growingBuffer(): GrowingBuffer {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(piece) {
      if (length + piece.length > block.length) {
        // allocUnsafeSlow: a block of its own, which no small buffer shares.
        const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * block.length, length + piece.length));
        block.copy(larger, 0, 0, length);
        block = larger;
      }
      block.set(piece, length);
      length += piece.length;
    },
    bytes: (count = length) => block.subarray(Math.max(0, length - count), length),
    text: () => block.toString("utf8", 0, length),
    clear() {
      length = 0;
      if (block.length > largestCachedBytes) block = Buffer.alloc(0);
    },
  };
}
