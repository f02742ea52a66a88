import { createHash } from "node:crypto";

/** Where the event loop of a test stops, in the middle of what the test waits for. */
export interface Stall {
  /** After the test has armed so many time limits, 1 for the first. */
  readonly limit: number;
  /** So many turns of the event loop later: a connection, a handshake and an answer take a few. */
  readonly turns: number;
  /** Each length in ms, with one turn of the event loop after each. */
  readonly ms: readonly number[];
}

export interface Stalls {
  readonly seed: string;
  /** Of the places where a test may stall, from 0 to 1. */
  readonly share: number;
}

const longestMs = 2_000;
const mostTurns = 8;
const mostInARow = 6;
/** Among a test's limits 1 to 3, 4 to 15, 16 to 63 and so on: a test that waits for more stalls more often. */
const places = [1, 4, 16, 64, 256];

/** The same for each run with this seed. */
export function drawStalls({ seed, share }: Stalls, file: string, test: string): readonly Stall[] {
  return places.flatMap((place) => {
    const bytes = createHash("sha256")
      .update(JSON.stringify([seed, file, test, place]))
      .digest();
    let drawn = 0;
    /** From 0 to below 1. */
    const draw = () => bytes.readUInt16BE(2 * drawn++) / 2 ** 16;
    if (draw() >= share) return [];
    const limit = place + Math.floor(draw() * 3 * place);
    const turns = Math.floor(draw() * mostTurns);
    const inARow = Math.min(mostInARow, 1 + Math.floor(-Math.log2(1 - draw()))); // one for half of them, two for a quarter
    return [{ limit, turns, ms: Array.from({ length: inARow }, () => Math.round(draw() * longestMs)) }];
  });
}

/** `EBB_TEST_STALLS=<seed>[:<share>]` */
export function stallsOf(text: string): Stalls {
  const [, seed, share = "0.15"] = /^([^:]+)(?::([0-9.]+))?$/.exec(text) ?? [];
  if (seed === undefined || !(Number(share) <= 1))
    throw new Error(`expected EBB_TEST_STALLS to be <seed> or <seed>:<share of the places, at most 1>, got "${text}"`);
  return { seed, share: Number(share) };
}
