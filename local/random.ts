/** The same numbers for the same seed. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** In [from, to). */
  between(from: number, to: number): number;
  /** As the API server ends generated names: characters that spell no words. */
  suffix(length: number): string;
  uuid(): string;
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const hexDigits = "0123456789abcdef";

/** mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = (letters: string): string => letters.charAt(Math.floor(next() * letters.length));
  const several = (letters: string, length: number): string => Array.from({ length }, () => pick(letters)).join("");
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    suffix: (length) => several(suffixLetters, length),
    uuid: () =>
      [8, 4, 4, 4, 12]
        .map((length, group) => {
          if (group === 2) return "4" + several(hexDigits, length - 1);
          if (group === 3) return pick("89ab") + several(hexDigits, length - 1);
          return several(hexDigits, length);
        })
        .join("-"),
  };
}
