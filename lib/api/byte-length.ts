/** The length of a string in UTF-8, which is what upstream's length limits count. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
