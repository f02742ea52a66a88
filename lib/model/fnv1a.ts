const start = 0x811c9dc5;

/** FNV-1a over the UTF-16 units of a text. @returns 32 bits, unsigned */
export function fnv1a(text: string): number {
  let value = start;
  for (let at = 0; at < text.length; at++) value = mixed(value, text.charCodeAt(at));
  return value;
}

/** One more step of it. */
export function mixed(value: number, part: number): number {
  return Math.imul(value ^ part, 0x01000193) >>> 0;
}
