import { accessSync, constants, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const servers = [
  "etcd",
  "kubectl",
  "kubeApiserver",
  "kubeControllerManager",
  "moto",
  "ministack",
  "cfnLint",
  "hcl2json",
] as const;

/** Absolute path of each executable. */
export type Installed = Readonly<Record<(typeof servers)[number], string>>;

/**
 * The list that `npm run servers` wrote.
 * @throws Error that says what is missing and how to get it: a suite without its servers fails, it is never skipped.
 */
export function installed(): Installed {
  const list = join(resolve(__dirname, "../../..", process.env.EBB_CACHE || ".cache"), "servers.json");
  const paths = readList(list);
  for (const server of servers) {
    const path = paths[server];
    if (path === undefined) throw new Error(`${list} has no ${server}. ${advice}`);
    try {
      accessSync(path, constants.X_OK);
    } catch (cause) {
      throw new Error(`${server} is missing: ${path}. ${advice}`, { cause });
    }
  }
  return paths as Installed;
}

const advice =
  "Run `npm run servers` once: it installs the Kubernetes API server, etcd and the AWS emulators into the cache.";

function readList(list: string): Partial<Installed> {
  try {
    return JSON.parse(readFileSync(list, "utf8")) as Partial<Installed>;
  } catch (cause) {
    throw new Error(`the servers of the e2e suite are not installed: ${list} cannot be read. ${advice}`, { cause });
  }
}
