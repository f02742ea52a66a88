import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(__dirname, "../../docs/how-to");

const contents = readFileSync(join(folder, "README.md"), "utf8");

/** The folder in the clone that the reader makes for the files of the pages. */
export const filesFolder = /^mkdir -p (\w+) && cd \1$/m.exec(contents)?.[1] ?? "";

/** The names of the pages that its table of contents lists. */
export const listedPages: readonly string[] = [...contents.matchAll(/\]\(([\w-]+\.md)\)/g)].map(
  ([, name = ""]) => name,
);

/** Every page of docs/how-to but its table of contents: name and text. */
export const pages: readonly (readonly [string, string])[] = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
