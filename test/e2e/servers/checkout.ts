import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Where `npm run servers` puts what it installs. */
export const cacheFolder = () => inCheckout(process.env.EBB_CACHE || ".cache");

/** A path in this checkout, for a suite and for a bundle in dist/. */
export function inCheckout(...path: readonly string[]): string {
  let folder = __dirname;
  while (!existsSync(resolve(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error(`expected a package.json above ${__dirname}, found none`);
    folder = dirname(folder);
  }
  return resolve(folder, ...path);
}
