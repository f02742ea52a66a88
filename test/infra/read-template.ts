import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments, type Tags } from "yaml";

const root = join(__dirname, "../..");

type Json = Record<string, unknown>;

/** CloudFormation's short forms, as the objects that they abbreviate. */
export const customTags: Tags = (["Ref", "GetAtt", "Sub"] as const).map((name) => ({
  tag: `!${name}`,
  resolve: (text: string) => (name === "Ref" ? { Ref: text } : { [`Fn::${name}`]: text }),
}));

/** A file of the stack as it is, with its ${…} variables unresolved. */
export function readYaml<T = Json>(file: string): T {
  return parse(readFileSync(join(root, file), "utf8"), { customTags, merge: true }) as T;
}

export function readDocuments<T = Json>(file: string): readonly T[] {
  return parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => document.toJS() as T);
}
