const start = 0x811c9dc5;

/** @returns 32 bits, unsigned */
export function fnv1a(text: string): number {
  let value = start;
  for (let at = 0; at < text.length; at++) value = mixed(value, text.charCodeAt(at));
  return value;
}

export function mixed(value: number, part: number): number {
  return Math.imul(value ^ part, 0x01000193) >>> 0;
}

/** MurmurHash3's last step: FNV-1a alone hardly spreads texts that differ in their last characters. */
export function spread(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
