import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(__dirname, "../../docs/how-to");

/** Every page of docs/how-to but its table of contents: name and text. */
export const pages: readonly (readonly [string, string])[] = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
