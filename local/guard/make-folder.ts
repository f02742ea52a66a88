import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Node's own recursive mkdir never returns in a folder that refuses new ones, such as /proc, and then no signal ends
 * the process.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeEach(path, mode);
  } catch (cause) {
    throw new Error(`the folder "${path}" cannot be created: ${(cause as Error).message}`, { cause });
  }
}

async function makeEach(path: string, mode: number | undefined): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path || (await isFolder(parent))) throw error;
    await makeEach(parent, mode);
    await makeEach(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
