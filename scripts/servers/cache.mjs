import { access, constants } from "node:fs/promises";
import { resolve } from "node:path";
import { env } from "node:process";

/** Absolute. The names of its folders include versions, so a newer checkout never uses an older server. */
export const cacheFolder = resolve(import.meta.dirname, "../..", env.EBB_CACHE || ".cache");

/** @returns whether `file` exists and is executable */
export async function isExecutable(file) {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
