import { isActedOn, type TerminalSize } from "../../../lib/k8s/escape-terminal";

/** Go's YAML breaks a line at the first space from this column on. */
const WIDTH = 80;

/** Output has no characters beyond U+FFFF (see `hasSpecial`), so these can serve as marks. */
const FIRST_MARK = 0x10000;

/** A line may break at this space. `indent`: of the next line. */
function foldMark(indent: number): string {
  return String.fromCodePoint(FIRST_MARK + indent);
}

/**
 * In double quotes, a line break swallows the spaces after it, so the first of those is escaped. Upstream:
 * yaml_emitter_write_plain_scalar and its siblings, emitterc.go.
 */
export function foldLines(text: string): string {
  let column = 0;
  return text.replace(/[^]/gu, (character, at: number) => {
    const indent = (character.codePointAt(0) ?? 0) - FIRST_MARK;
    const breaks = indent >= 0 && column > WIDTH;
    column = character === "\n" ? 0 : breaks ? indent : column + 1;
    if (indent < 0) return character;
    return breaks ? `\n${" ".repeat(indent)}${text.startsWith(" ", at + 2) ? "\\" : ""}` : " ";
  });
}

/** YAML 1.1 reads these as a boolean, null or a float. */
const words = new Set(
  ["true", "false", "yes", "no", "on", "off", "null"]
    .flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
    .concat(["y", "Y", "n", "N", "~", ".nan", ".NaN", ".NAN"])
    .concat(["", "+", "-"].flatMap((sign) => [".inf", ".Inf", ".INF"].map((word) => sign + word))),
);

/** Upstream: resolve of resolve.go and isBase60Float of encode.go. */
function resolvesToOther(text: string): boolean {
  if (words.has(text)) return true;
  if (/^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/.test(text)) return Number.isFinite(Number(text));
  if (!/^[-+0-9]/.test(text)) return false;
  const plain = text.replaceAll("_", "");
  return isTimestamp(text) || isInteger(plain) || isFloat(plain) || isBase60(text);
}

function isFloat(text: string): boolean {
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text));
}

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

/** A key, or the indentation of a value's further lines. */
type Where = "key" | (string & {});

/** Upstream: stringv of encode.go, yaml_emitter_analyze_scalar and yaml_emitter_select_scalar_style of emitterc.go. */
export function yamlString(text: string, where: Where, screen: TerminalSize = {}): string {
  if (isActedOn(text, screen)) return doubleQuoted(text, where, screen);
  if (text.includes("\n") && where !== "key" && canBeBlock(text)) return literal(text, where);
  if (text === "" || text.includes("\n") || resolvesToOther(text) || hasSpecial(text)) {
    return doubleQuoted(text, where, screen);
  }
  const spaced = where === "key" ? text : markSpaces(text, where, /(?<=[^ ]) (?=[^ ])/g);
  return canBePlain(text) ? spaced : `'${spaced.replaceAll("'", "''")}'`;
}

function markSpaces(text: string, indent: string, spaces: RegExp): string {
  return text.replace(spaces, foldMark(indent.length));
}

/** An integer of 64 bits in full; otherwise Go's %g, with an exponent from a million on and below 0.0001. */
export function yamlNumber(number: number): string {
  const isInteger = Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 64;
  if (isInteger) return JSON.stringify(number);
  const [digits = "", exponent = ""] = number.toExponential().split("e");
  const isShort = Number(exponent) >= -4 && Number(exponent) < 6;
  return isShort ? String(number) : `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
}

function canBePlain(text: string): boolean {
  if (/^(?:---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[?:-](?: |$)/.test(text)) return false;
  return !/^ | $/.test(text) && !/.:(?: |$)/.test(text) && !/ #/.test(text);
}

/** A block cannot show spaces at a line's end, nor unprintable characters. */
function canBeBlock(text: string): boolean {
  return !hasSpecial(text) && !/ (?:\n|$)/.test(text);
}

/** Go's YAML also escapes characters beyond U+FFFF, and Unicode's line breaks. */
function hasSpecial(text: string): boolean {
  return /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|[\u2028\u2029]/.test(text);
}

function literal(text: string, indent: string): string {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const chomp = !text.endsWith("\n") ? "-" : /^\n$|\n\n$/.test(text) ? "+" : "";
  const lines = text.replace(/\n$/, "").split("\n");
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}`;
}

const named: ReadonlyMap<string, string> = new Map([
  ["\0", "0"],
  ["\x07", "a"],
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\v", "v"],
  ["\f", "f"],
  ["\r", "r"],
  ["\x1b", "e"],
  ['"', '"'],
  ["\\", "\\"],
  ["\x85", "N"],
  ["\u2028", "L"],
  ["\u2029", "P"],
]);

function doubleQuoted(text: string, where: Where, screen: TerminalSize): string {
  const escaped = Array.from(text, (character) => escape(character, screen)).join("");
  return `"${where === "key" ? escaped : markSpaces(escaped, where, /(?<=[^ ]) (?=.)/g)}"`;
}

function escape(character: string, screen: TerminalSize): string {
  const name = named.get(character);
  if (name !== undefined) return `\\${name}`;
  if (!hasSpecial(character) && !isActedOn(character, screen)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code < 0xe000) return "\ufffd"; // half of a character: no UTF-8 at all
  const [mark, width] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).toUpperCase().padStart(Number(width), "0")}`;
}
