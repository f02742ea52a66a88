import { Document, isScalar, Scalar, type ScalarTag, visit } from "yaml";
import { byteLength } from "../byte-length";
import { compareKeys } from "./compare-keys";
import { foldLines } from "./fold-lines";
import { yamlNumber, yamlString } from "./yaml-scalar";

/**
 * An object as `kubectl get -o yaml` prints it: keys in natural order, lists not indented, quotes where Go's library puts them,
 * lines folded where it folds them. What is undefined is left out. Upstream: sigs.k8s.io/yaml on go.yaml.in/yaml/v2.
 */
export function toYaml(value: object): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [...tags.filter(isStructure), text, number],
    sortMapEntries: (a, b) => compareKeys(keyOf(a.key), keyOf(b.key)),
  });
  visit(document, { Pair: (_, { key }) => setApart(key) });
  return foldLines(document.toString({ indentSeq: false, lineWidth: 0 }));
}

const structure = ["map", "seq", "null", "bool"].map((name) => `tag:yaml.org,2002:${name}`);

function isStructure(tag: string | { readonly tag: string }): boolean {
  return typeof tag !== "string" && structure.includes(tag.tag);
}

const text: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value) => typeof value === "string",
  resolve: (source) => source,
  stringify: (item, { indent, implicitKey }) => yamlString(String(item.value), implicitKey === true ? "key" : indent),
};

const number: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number",
  resolve: Number,
  stringify: (item: Scalar) => yamlNumber(Number(item.value)),
};

const LONGEST_KEY = 128;

/** A key that is too long, or of several lines, stands after a question mark; the library does so for what it takes for a block. */
function setApart(key: unknown): void {
  if (!isScalar(key)) return;
  const name = keyOf(key);
  if (byteLength(name) > LONGEST_KEY || /[\n\r]/.test(name)) key.type = Scalar.BLOCK_LITERAL;
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
