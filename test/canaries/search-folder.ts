import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { canariesIn } from "./canary";

/** Where `ebb start` keeps secrets, for its user alone: names of local/directory.ts, which would load a database. */
export const ownPlaces: readonly string[] = ["running.json", "aws-credentials", "kubeconfig"];

/** The files of a folder, or a file, that hold a secret and are none of the places for one. */
export function searchFolder(path: string, planted: Iterable<string>, changedSince = 0): readonly string[] {
  const places = [...planted];
  const isPlace = (file: string) =>
    ownPlaces.includes(basename(file)) || places.some((place) => file === place || file.startsWith(place + sep));
  const search = (file: string): readonly string[] => {
    if (isPlace(file)) return [];
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return readdirSync(file).flatMap((name) => search(join(file, name)));
    if (found?.isFile() !== true || found.mtimeMs < changedSince) return [];
    return canariesIn(readFileSync(file)).length > 0 ? [file] : [];
  };
  return search(path);
}
