import type { Random } from "../../../local/random";

export interface Dice {
  chance(probability: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
}

export function dice(random: Random): Dice {
  const between = (least: number, most: number) => Math.floor(random.between(least, most + 1));
  return {
    between,
    chance: (probability) => random.next() < probability,
    pick: (from) => from[between(0, from.length - 1)] ?? from[0],
  };
}
