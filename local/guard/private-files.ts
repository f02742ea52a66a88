import { constants, type Stats } from "node:fs";
import { chmod, lstat, open, readdir, rename, rm, stat, writeFile, mkdir } from "node:fs/promises";
import { join, dirname } from "node:path";
import { Fault } from "../../lib/model/fault";

const others = 0o077;
const writableByOthers = 0o022;

/**
 * Creates the folder with mode 0700, or takes other users' permissions away from it and from `ours` in it, at any
 * depth. Rejects with a Fault if any of these belongs to another user or is a link.
 *
 * @returns true if others had permissions.
 */
export async function openPrivateFolder(folder: string, ours: readonly string[] = []): Promise<boolean> {
  await makeFolder(folder, 0o700);
  refuseForeign(folder, await lstat(folder));
  const found = await stat(folder);
  refuseForeign(folder, found);
  const wasOpen = (found.mode & others) !== 0;
  if (wasOpen) await chmod(folder, 0o700);
  const repaired = await Promise.all(ours.map((name) => makePrivate(join(folder, name))));
  return wasOpen || repaired.includes(true);
}

async function makePrivate(path: string): Promise<boolean> {
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) return false;
  refuseForeign(path, found);
  if (found.isSymbolicLink())
    throw new Fault("forbidden", `${path}: expected a file or a folder, got a symbolic link: delete it`);
  const wasOpen = (found.mode & others) !== 0;
  // The process with the table open replaces its files.
  if (wasOpen) await chmod(path, found.mode & 0o700).catch(unlessMissing);
  if (!found.isDirectory()) return wasOpen;
  const inside = (await readdir(path).catch(unlessMissing)) ?? [];
  const repaired = await Promise.all(inside.map((name) => makePrivate(join(path, name))));
  return wasOpen || repaired.includes(true);
}

/** Replaces the file at once, with mode 0600. Never follows a link. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw diskFault(path, cause);
  }
}

/** Undefined: missing. Rejects with a Fault if another user could have written it. */
export async function readPrivateFile(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) return undefined;
  refuseForeign(folder, await lstat(folder));
  refuseOpen(folder, await stat(folder));
  refuseOpen(path, found);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    if (cause.code === "ELOOP")
      throw new Fault("forbidden", `${path}: expected a file, got a symbolic link: delete it`, { cause });
    throw cause;
  });
  if (file === undefined) return undefined;
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function refuseOpen(path: string, found: Stats): void {
  refuseForeign(path, found);
  if (found.isSymbolicLink() || (found.mode & writableByOthers) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  throw new Fault("forbidden", `${path}: expected a mode in which only you can write, got ${mode}: chmod go-w ${path}`);
}

/** Windows has no user IDs, and protects files in its own way. */
function refuseForeign(path: string, { uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return;
  throw new Fault("forbidden", `${path}: expected a file or a folder of yours (user ${own}), got one of user ${uid}`);
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

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

/** A full file system, quota or process limit. LevelDB only has the text. */
const fullCodes = ["ENOSPC", "EDQUOT", "EFBIG"];

const fullTexts = /No space left on device|Disk quota exceeded|File too large/i;

export function diskFault(path: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault("unreachable", `${path}: ${isFull(cause) ? full : `cannot be written: ${textOf(cause)}`}`, {
    cause,
  });
}

const full = "the disk is full: free some space, then run the command again; what was saved until now is still there";

export function isFull(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return (code !== undefined && fullCodes.includes(code)) || fullTexts.test(textOf(cause));
}

function textOf(cause: unknown): string {
  const { message, cause: deeper } = cause as { readonly message?: string; readonly cause?: { message?: string } };
  return deeper?.message ?? message ?? String(cause);
}
