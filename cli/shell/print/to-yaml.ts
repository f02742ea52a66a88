import { Document, Scalar, type ScalarTag, isScalar, visit } from "yaml";
import { byteLength } from "../../../lib/k8s/go-text";
import type { TerminalSize } from "../../../lib/k8s/escape-terminal";
import { foldLines, yamlNumber, yamlString } from "./yaml-scalar";

/** Letters last, and runs of digits by their value ("a2" before "a10"). Upstream: keyList.Less, sorter.go. */
function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return isLess(Array.from(a), Array.from(b)) ? -1 : 1;
}

function isLess(a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((character, index) => character !== b[index]);
  if (at === -1 || at >= b.length) return a.length < b.length;
  const [left = "", right = ""] = [a[at], b[at]];
  if (isLetter(left) && isLetter(right)) return codeOf(left) < codeOf(right);
  if (isLetter(left) || isLetter(right)) return isLetter(right);
  const [leftRun, rightRun] = [digitsFrom(a, at), digitsFrom(b, at)];
  // A zero within a number is not a leading zero: "10" is more than "1".
  const within = (left === "0" || right === "0") && endsInNumber(a.slice(0, at)) ? "1" : "";
  const [leftValue, rightValue] = [leftRun, rightRun].map((run) => BigInt.asIntN(64, BigInt(within + run)));
  if (leftValue !== rightValue) return (leftValue ?? 0n) < (rightValue ?? 0n);
  if (leftRun.length !== rightRun.length) return leftRun.length < rightRun.length;
  return codeOf(left) < codeOf(right);
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

function digitsFrom(characters: readonly string[], at: number): string {
  const end = characters.findIndex((character, index) => index >= at && !/^[0-9]$/.test(character));
  return characters.slice(at, end === -1 ? undefined : end).join("");
}

function endsInNumber(characters: readonly string[]): boolean {
  return /[1-9]0*$/.test(characters.join("")); // a later nonzero digit ends in zeros again
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Upstream: sigs.k8s.io/yaml on go.yaml.in/yaml/v2. */
export function toYaml(value: object, screen: TerminalSize = {}): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [...tags.filter(isStructure), textFor(screen), number],
    sortMapEntries: (a, b) => compareKeys(keyOf(a.key), keyOf(b.key)),
  });
  visit(document, { Pair: (_, { key }) => setApart(key) });
  return foldLines(document.toString({ indentSeq: false, lineWidth: 0 }));
}

const structure = ["map", "seq", "null", "bool"].map((name) => `tag:yaml.org,2002:${name}`);

function isStructure(tag: string | { readonly tag: string }): boolean {
  return typeof tag !== "string" && structure.includes(tag.tag);
}

const textFor = (screen: TerminalSize): ScalarTag => ({
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value) => typeof value === "string",
  resolve: (source) => source,
  stringify: (item, { indent, implicitKey }) =>
    yamlString(String(item.value), implicitKey === true ? "key" : indent, screen),
});

const number: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number",
  resolve: Number,
  stringify: (item: Scalar) => yamlNumber(Number(item.value)),
};

const LONGEST_KEY = 128;

/** Go puts a long or multi-line key after a question mark. The library prints block keys in that way. */
function setApart(key: unknown): void {
  if (!isScalar(key)) return;
  const name = keyOf(key);
  if (byteLength(name) > LONGEST_KEY || /[\n\r]/.test(name)) key.type = Scalar.BLOCK_LITERAL;
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
