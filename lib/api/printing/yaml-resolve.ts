/** Words that YAML 1.1 reads as a boolean, null or a float. */
const words = new Set(
  ["true", "false", "yes", "no", "on", "off", "null"]
    .flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
    .concat(["y", "Y", "n", "N", "~", ".nan", ".NaN", ".NAN"])
    .concat(["", "+", "-"].flatMap((sign) => [".inf", ".Inf", ".INF"].map((word) => sign + word))),
);

/**
 * Whether a plain text would be read as something else than text: a word of YAML 1.1, a number, a moment, or a number to base 60.
 * Upstream: resolve of resolve.go and isBase60Float of encode.go.
 */
export function resolvesToOther(text: string): boolean {
  if (words.has(text)) return true;
  if (/^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number.isFinite(Number(text));
  if (!/^[-+0-9]/.test(text)) return false;
  const plain = text.replaceAll("_", "");
  return isTimestamp(text) || isInteger(plain) || isFloat(plain) || isBase60(text);
}

function isFloat(text: string): boolean {
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text));
}

/** Of 64 bits, in any base of Go's. A longer decimal one is a float. */
function isInteger(text: string): boolean {
  const [, sign = "", digits = ""] =
    /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/.exec(text) ?? [];
  if (digits === "") return false;
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  if (sign === "-") return value <= 2n ** 63n;
  return value < (sign === "+" ? 2n ** 63n : 2n ** 64n);
}

function isBase60(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

const date = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const time = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?`;
const zone = String.raw`(?:Z|[-+](\d{2}):(\d{2}))`;
const timestamp = new RegExp(`^${date}(?:[Tt]${time}${zone}| ${time})?$`);

function isTimestamp(text: string): boolean {
  const found = timestamp.exec(text);
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, ...clock] = found.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0, ...other] = clock;
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= lastDay;
  return (
    inRange &&
    [hour, other[0] ?? 0].every((value) => value < 24) &&
    zoneHour <= 24 &&
    zoneMinute <= 60 &&
    [minute, second, other[1] ?? 0, other[2] ?? 0].every((value) => value < 60)
  );
}
