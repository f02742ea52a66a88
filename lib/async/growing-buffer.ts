/** Copies pieces into one block: a kept piece would keep in memory the whole block that it was cut from. */
export interface GrowingBuffer {
  readonly length: number;
  append(piece: Uint8Array): void;
  /** All bytes, or the last `count`. Valid until the next `append` or `clear`. */
  bytes(count?: number): Buffer;
  text(): string;
  clear(): void;
}

const firstBytes = 1024;
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
        // allocUnsafeSlow shares its block with no other buffer.
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
