import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { env } from "node:process";

/** Absolute. Its folders carry the versions of what they hold, so a newer checkout never meets an older server. */
export const cacheFolder = resolve(import.meta.dirname, "../..", env.EBB_CACHE || ".cache");

/** @returns whether `file` is there and can be run */
export async function isExecutable(file) {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
