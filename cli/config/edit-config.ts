import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, parseDocument } from "yaml";

/** Changes the config file, comments and all else kept. It is replaced as a whole, so that nobody reads half of it. */
export async function editConfig(
  path: string,
  change: (config: Pick<Document, "set" | "setIn">) => void,
): Promise<void> {
  const config = parseDocument(await readOrNothing(path));
  change(config);
  await mkdir(dirname(path), { recursive: true });
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
