import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command as Verb } from "commander";
import { isMap } from "../../../lib/k8s/map";
import { parseKubeconfig } from "../../../lib/cluster/auth/kubeconfig-text";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { stored } from "../../../local/directory";
import { localRegion } from "../../../local/guard/signature";
import { readRunFile } from "../../../local/run-file";
import type { Settings } from "../settings";
import { kubeconfigsOf } from "../connect/kubeconfigs";
import { globalOptions } from "../global-options";

type Env = Readonly<Record<string, string | undefined>>;

export interface Caller {
  /** "ebb", "kubectl ebb", or a clone's command. */
  readonly ebb: readonly string[];
  /** The typed options that name the table. */
  readonly flags: readonly string[];
  /** The AWS CLI does not know ebb's contexts. */
  readonly awsFlags: readonly string[];
  /** Absent: nothing serves the table now. */
  readonly awsOnTable?: { readonly words: readonly string[]; readonly table: string };
  readonly kubectl: (cluster: string) => readonly string[];
}

export function callerOf(verb: Verb, settings: Pick<Settings, "table" | "region" | "profile">, env: Env): Caller {
  const { context, table, region, profile, directory } = globalOptions(verb);
  const typed = [...flag("--region", region), ...flag("--profile", profile)];
  const awsFlags = [
    ...flag("--region", settings.region ?? set(env["AWS_REGION"])),
    ...flag("--profile", settings.profile),
  ];
  return {
    ebb: env["npm_lifecycle_event"] === "ebb" ? ["npm", "run", "-s", "ebb", "--"] : programOf(verb).split(" "),
    flags: [...flag("--context", context), ...flag("--table", table), ...typed, ...flag("--directory", directory)],
    awsFlags,
    ...(settings.table !== undefined && { awsOnTable: { words: ["aws", ...awsFlags], table: settings.table } }),
    kubectl: byName,
  };
}

function programOf(verb: Verb): string {
  return verb.parent === null ? verb.name() : programOf(verb.parent);
}

function set(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** kubectl refuses a context that does not exist; the current one may be another cluster. */
export function byName(cluster: string): readonly string[] {
  return ["kubectl", "--context", cluster];
}

interface Known {
  readonly entries: readonly (Pick<ClusterEntry, "name" | "spec"> | undefined)[];
  readonly directory?: string | undefined;
}

/** Adds a kubectl for each cluster: with the person's own kubeconfig, if it has the server. */
export async function callerWith(caller: Caller, { entries, directory }: Known, env: Env): Promise<Caller> {
  const own = await serversIn(kubeconfigsOf(env));
  const running = directory === undefined ? undefined : await readRunFile(directory);
  const known = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (entry === undefined) continue;
    const { auth, endpoint } = entry.spec;
    const given = auth.type === "kubeconfig" && "file" in auth ? auth : undefined;
    const isRun = given !== undefined && running?.kubeconfig.file === given.file;
    const servers = given === undefined ? [] : await serversIn([given.file]);
    const named = servers.find(({ context, isCurrent }) =>
      given?.context === undefined ? isCurrent : context === given.context,
    );
    const server = endpoint === undefined ? named?.server : addressOf(endpoint);
    const matching = own.filter((one) => server !== undefined && one.server === server);
    const current = matching.find(({ isCurrent }) => isCurrent);
    const [chosen] = current === undefined ? matching : [current];
    if (chosen !== undefined)
      known.set(entry.name, ["kubectl", ...(chosen.isCurrent ? [] : ["--context", chosen.context])]);
    else if (isRun && given !== undefined)
      known.set(entry.name, ["kubectl", "--kubeconfig", given.file, ...flag("--context", given.context)]);
  }
  const kubectl = (cluster: string) => known.get(cluster) ?? byName(cluster);
  if (running === undefined || directory === undefined) return { ...caller, kubectl };
  return { ...caller, kubectl, awsOnTable: { words: awsOnLocal(directory, running), table: running.table } };
}

/** With the profile that `ebb start` writes. */
function awsOnLocal(directory: string, { endpoint }: { readonly endpoint: string }): readonly string[] {
  const credentials = `AWS_SHARED_CREDENTIALS_FILE=${join(directory, stored.awsCredentials)}`;
  return ["env", credentials, "aws", "--profile", "ebb", "--region", localRegion, "--endpoint-url", endpoint];
}

interface Served {
  readonly context: string;
  readonly server: string;
  readonly isCurrent: boolean;
}

/** Like kubectl: the first file that names something wins. */
async function serversIn(files: readonly string[]): Promise<readonly Served[]> {
  const all = await Promise.all(files.map(readQuietly));
  const clusters = all.flatMap((one) => namedIn(one["clusters"], "cluster"));
  const current = all.map((one) => one["current-context"]).find((name) => typeof name === "string" && name !== "");
  return all
    .flatMap((one) => namedIn(one["contexts"], "context"))
    .flatMap(({ name, value }) => {
      const server = clusters.find((cluster) => cluster.name === value["cluster"])?.value["server"];
      if (typeof server !== "string") return [];
      return [{ context: name, server: addressOf(server), isCurrent: name === current }];
    });
}

async function readQuietly(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return parseKubeconfig(await readFile(file, "utf8"));
  } catch {
    return {};
  }
}

function namedIn(list: unknown, member: string) {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    if (!isMap(one) || typeof one["name"] !== "string") return [];
    const value = one[member];
    return isMap(value) ? [{ name: one["name"], value }] : [];
  });
}

function addressOf(server: string): string {
  return URL.canParse(server) ? new URL(server).href : server;
}
