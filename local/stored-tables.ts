import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { stored } from "./directory";
import { readRunFile } from "./run-file";

/** The demo is right in it, each user's cluster in a folder below. */
export const homeDirectory = ".ebb";

export const demoCluster = "demo";

const ownClusters = "clusters";

/** The demo and users' clusters share no table. */
export function clusterDirectory(cluster: string, home = homeDirectory): string {
  const name = encodeURIComponent(cluster).replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
  return join(home, ownClusters, name);
}

async function directoriesWithTable(home: string): Promise<readonly string[]> {
  const below = await readdir(join(home, ownClusters)).catch(() => []);
  const all = [home, ...below.sort().map((name) => join(home, ownClusters, name))];
  const found = await Promise.all(all.map((directory) => hasTable(directory)));
  return all.filter((_, index) => found[index]);
}

export async function hasTable(directory: string): Promise<boolean> {
  return access(join(directory, stored.table)).then(
    () => true,
    () => false,
  );
}

/**
 * For a command that names none: the only one with a table, else the chosen cluster's, else the only one with a running
 * ebb.
 */
export async function chooseDirectory(
  cluster: string | undefined,
  home = homeDirectory,
): Promise<{ readonly directory: string } | { readonly ambiguous: readonly string[] }> {
  const all = await directoriesWithTable(home);
  const [first = home, ...others] = all;
  if (others.length === 0) return { directory: first };
  const own = cluster === undefined ? undefined : cluster === demoCluster ? home : clusterDirectory(cluster, home);
  if (own !== undefined && all.includes(own)) return { directory: own };
  const runs = await Promise.all(all.map((directory) => readRunFile(directory)));
  const [running, ...more] = all.filter((_, index) => runs[index] !== undefined);
  return running !== undefined && more.length === 0 ? { directory: running } : { ambiguous: all };
}
