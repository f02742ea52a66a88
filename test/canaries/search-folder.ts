import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { canariesIn } from "./canary";

/** Where `ebb start` keeps secrets, for its user alone: names of local/directory.ts, which would load a database. */
export const ownPlaces: readonly string[] = ["running.json", "aws-credentials", "kubeconfig"];

/** The files of a folder, or a file, that hold a secret and are none of the places for one. */
export function searchFolder(path: string, planted: Iterable<string>, changedSince = 0): readonly string[] {
  const places = [...planted];
  const isPlace = (file: string) =>
    // A killed run leaves the draft of such a file, too.
    ownPlaces.includes(basename(file, ".new")) ||
    places.some((place) => file === place || file.startsWith(place + sep));
  const search = (file: string): readonly string[] => {
    if (isPlace(file)) return [];
    try {
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return readdirSync(file).flatMap((name) => search(join(file, name)));
      if (found?.isFile() !== true || found.mtimeMs < changedSince) return [];
      return canariesIn(readFileSync(file)).length > 0 ? [file] : [];
    } catch (error) {
      // A server under way removes its files, and a test takes away its own right to read one.
      if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      throw error;
    }
  };
  return search(path);
}
