import fc from "fast-check";

/** The same amount in one of the spellings that a quantity has. */
const spellings: readonly ((milli: number) => string)[] = [
  (milli) => `${milli}m`,
  (milli) => `${milli * 1000}u`,
  (milli) => `${milli}000000n`,
  (milli) => (milli / 1000).toFixed(3),
  (milli) => String(Math.trunc(milli / 1000)),
  (milli) => `${(milli / 1000).toFixed(1)}e0`,
];

/** Of thousandths from 0 on. */
export function amounts(most: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min: 0, max: most }), fc.constantFrom(...spellings))
    .map(([milli, spell]) => spell(milli));
}

const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e2", "E-3"];

/** Anything that can be read as a quantity, mostly far from what anyone would write. */
export const oddQuantities: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "", "", "-", "+"),
    fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.bigInt({ min: 0n, max: 10n ** 20n })).map(String),
    fc.constantFrom("", "", ".", ".5", ".000000001", ".0", ".123456789012"),
    fc.constantFrom(...suffixes),
  )
  .map((parts) => parts.join(""));

/** CPU in cores, memory in bytes: what containers request and use. */
export const cpu = amounts(2_000);
export const memory = fc.oneof(
  fc.integer({ min: 1, max: 600 }).map((mebi) => `${mebi}Mi`),
  fc.integer({ min: 1, max: 600_000 }).map((kibi) => `${kibi}Ki`),
  fc.integer({ min: 1, max: 600 }).map((mega) => `${mega}M`),
  fc.integer({ min: 1, max: 600_000_000 }).map(String),
);

/** What a metric measures. */
export const values = fc.oneof(
  { weight: 12, arbitrary: amounts(600_000) },
  { weight: 1, arbitrary: fc.constantFrom("0", "-5", "-1500m", "1Ei", "9223372036854775807", "1n") },
);
export const targets = amounts(100_000).filter((text) => !/^[0.]*[num]?(e0)?$/.test(text));

/** Present in one of `times` cases. */
export function rarely<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
