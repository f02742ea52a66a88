import { Fault } from "../model/fault";
import { shown } from "../model/check/problem";
import { badAnswer } from "./network/as-reading";

/** Thousandths of larger numbers exceed int64, where upstream caps them: two would be equal, and differ by 0. */
const most = 9.2e15;

export type GivenParameters = Readonly<Record<string, unknown>>;

/** `path` is the parameter's: "period", "queries[1].statistic". */
export function badParameter(path: string, expected: string, got: unknown): Fault {
  return new Fault("badEntry", `parameter ${path}: expected ${expected}, got ${shown(got)}`);
}

/**
 * Whole numbers as they are, others in milli, rounded away from zero as upstream rounds (12.5 → "12500m", 0.0001 →
 * "1m", -0.0001 → "-1m"). The shortest decimal form counts: 0.1 is "100m", not "101m".
 * @throws Fault "badAnswer" beyond what a metric can hold.
 */
export function quantityOf(value: number): string {
  if (!(Math.abs(value) <= most)) throw badAnswer(`expected a number from -9.2e15 to 9.2e15, got ${value}`);
  const [mantissa = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const milli = scaled(BigInt(whole + fraction), Number(exponent) - fraction.length + 3);
  const sign = value < 0 ? "-" : "";
  return milli % 1000n === 0n ? `${sign}${milli / 1000n}` : `${sign}${milli}m`;
}

/** Undefined: no decimal number. `Number` also reads "0x10", " 5" and an empty text. */
export function decimalOf(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function scaled(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}
