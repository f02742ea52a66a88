import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./checkout";

const servers = [
  "etcd",
  "kubectl",
  "kubeApiserver",
  "kubeControllerManager",
  "moto",
  "ministack",
  "cfnLint",
  "hcl2json",
  "aws",
] as const;

/** Absolute path of each executable. */
export type Installed = Readonly<Record<(typeof servers)[number], string>>;

/**
 * The list that `npm run servers` wrote.
 * @throws Error that says what is missing and how to get it: a suite without its servers fails, it is never skipped.
 */
export function installed(): Installed {
  const list = listFile();
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

/** What `npm run servers` finds on this machine, or unpacks from Debian's packages. Each is for one suite. */
type Unpacked =
  | "chromium"
  | "kubernetesPython"
  | "scannersPython"
  | "zsh"
  | "fish"
  | "prometheus"
  | "promtool"
  | "rabbitmqServer"
  | "rabbitmqctl"
  | "epmd"
  | "kafka"
  | "dynamodbLocal"
  | "prometheusAdapter"
  | "argoRollouts"
  | "argoRolloutsDefinitions"
  | "redisServer"
  | "redisCli"
  | "valkeyServer"
  | "postgres"
  | "initdb"
  | "psql";

/** The program's absolute path. @throws Error when `npm run servers` could neither find nor unpack it */
export function installedProgram(name: Unpacked): string {
  const path = readList(listFile())[name];
  if (path !== undefined) return path;
  throw new Error(`there is no ${name}: install it, and run \`npm run servers\` again`);
}

const advice =
  "Run `npm run servers` once: it installs the Kubernetes API server, etcd and the AWS emulators into the cache.";

function listFile(): string {
  return join(cacheFolder(), "servers.json");
}

function readList(list: string): Partial<Installed & Record<Unpacked, string>> {
  try {
    return JSON.parse(readFileSync(list, "utf8")) as ReturnType<typeof readList>;
  } catch (cause) {
    throw new Error(`the servers of the e2e suite are not installed: ${list} cannot be read. ${advice}`, { cause });
  }
}
