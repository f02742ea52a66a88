import { foldMark } from "./fold-lines";
import { resolvesToOther } from "./yaml-resolve";

/** Where a text stands: as a key, or as a value whose further lines have this indentation. */
type Where = "key" | (string & {});

/**
 * A text in the style that Go's YAML gives it: as lines when it has some, plain when it reads as text again, else quoted.
 * Upstream: stringv of encode.go, yaml_emitter_analyze_scalar and yaml_emitter_select_scalar_style of emitterc.go.
 */
export function yamlString(text: string, where: Where): string {
  if (text.includes("\n") && where !== "key" && canBeBlock(text)) return literal(text, where);
  if (text === "" || text.includes("\n") || resolvesToOther(text) || hasSpecial(text)) {
    return doubleQuoted(text, where);
  }
  const spaced = where === "key" ? text : markSpaces(text, where, /(?<=[^ ]) (?=[^ ])/g);
  return canBePlain(text) ? spaced : `'${spaced.replaceAll("'", "''")}'`;
}

/** A key is never folded. */
function markSpaces(text: string, indent: string, spaces: RegExp): string {
  return text.replace(spaces, foldMark(indent.length));
}

/** An integer of 64 bits in full; else Go's %g: with an exponent from a million on, and below 0.0001. */
export function yamlNumber(number: number): string {
  const isInteger = Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 64;
  if (isInteger) return JSON.stringify(number);
  const [digits = "", exponent = ""] = number.toExponential().split("e");
  const isShort = Number(exponent) >= -4 && Number(exponent) < 6;
  return isShort ? String(number) : `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
}

/** Neither an indicator of YAML at its start or before a space, nor a space at either end. */
function canBePlain(text: string): boolean {
  if (/^(?:---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[?:-](?: |$)/.test(text)) return false;
  return !/^ | $/.test(text) && !/.:(?: |$)/.test(text) && !/ #/.test(text);
}

/** Spaces before a line's end would not be seen in a block, and what cannot be printed cannot stand there. */
function canBeBlock(text: string): boolean {
  return !hasSpecial(text) && !/ (?:\n|$)/.test(text);
}

/** Anything that needs an escape; Go's YAML counts what is beyond U+FFFF, and the line breaks of Unicode stay out of plain text. */
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

function doubleQuoted(text: string, where: Where): string {
  const escaped = Array.from(text, escape).join("");
  return `"${where === "key" ? escaped : markSpaces(escaped, where, /(?<=[^ ]) (?=.)/g)}"`;
}

function escape(character: string): string {
  const name = named.get(character);
  if (name !== undefined) return `\\${name}`;
  if (!hasSpecial(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code < 0xe000) return "\ufffd"; // half of a character: no UTF-8 at all
  const [mark, width] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).toUpperCase().padStart(Number(width), "0")}`;
}
