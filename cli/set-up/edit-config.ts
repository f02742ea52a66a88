import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, parseDocument } from "yaml";
import { makeFolder } from "../../local/guard/make-folder";

/** Keeps comments. Replaces the file as a whole, so that no reader sees half a file. */
export async function editConfig(
  path: string,
  change: (config: Pick<Document, "set" | "setIn" | "getIn" | "delete" | "deleteIn">) => void,
): Promise<void> {
  const config = parseDocument(await readOrNothing(path));
  change(config);
  await makeFolder(dirname(path));
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, config.toString(), { mode: 0o600 });
  await rename(unfinished, path);
}

async function readOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
