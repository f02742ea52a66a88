import { delimiter } from "node:path";
import { type Config, configPath, type Context, readConfig } from "./config-file";
import { chooseDirectory, homeDirectory } from "../../local/stored-tables";
import { failure } from "./failure";
import type { GlobalOptions } from "./global-options";

/** Where a command works: the command line over the environment over the config file's context. */
export interface Settings {
  /** The DynamoDB table; undefined: the one that `ebb start` keeps in `directory`. */
  readonly table: string | undefined;
  readonly directory: string;
  /** Directories that each have a table, when nothing says which one is meant. */
  readonly ambiguous?: readonly string[];
  /** Undefined: what the AWS SDK finds (AWS_REGION, the profile), if anything. */
  readonly region: string | undefined;
  readonly profile: string | undefined;
  /** Undefined: the only one of the table. */
  readonly cluster: string | undefined;
  readonly namespace: string;
  /** The kubeconfig files that the user names in KUBECONFIG. */
  readonly kubeconfigs: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** @throws Failure when the config file cannot be used, or has no context of that name. */
export async function resolveSettings(given: GlobalOptions, env: Env): Promise<Settings> {
  const path = configPath(env);
  const context = chosenContext(await readConfig(path), given.context ?? set(env["EBB_CONTEXT"]), path);
  // A directory on the command line means its table, whatever the environment and the config file say.
  const elsewhere = given.directory === undefined ? (set(env["EBB_TABLE"]) ?? context?.table) : undefined;
  const table = given.table ?? elsewhere;
  const cluster = given.cluster ?? set(env["EBB_CLUSTER"]) ?? context?.cluster;
  const isGiven = given.directory !== undefined || table !== undefined;
  const choice = isGiven ? {} : await chooseDirectory(cluster);
  return {
    table,
    directory: given.directory ?? homeDirectory,
    ...choice,
    region: given.region ?? set(env["EBB_REGION"]) ?? context?.region ?? defaultRegion(env),
    profile: given.profile ?? set(env["EBB_PROFILE"]) ?? context?.profile,
    cluster,
    namespace: given.namespace ?? set(env["EBB_NAMESPACE"]) ?? context?.namespace ?? "default",
    kubeconfigs: (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== ""),
  };
}

function chosenContext(config: Config, asked: string | undefined, path: string): Context | undefined {
  const name = asked ?? set(config.currentContext);
  if (name === undefined) return undefined;
  const contexts = config.contexts ?? {};
  if (Object.hasOwn(contexts, name)) return contexts[name];
  const there = Object.keys(contexts);
  throw failure(
    `context "${name}" does not exist in ${path}; ${there.length === 0 ? "it has no contexts" : `it has ${there.join(", ")}`}`,
  );
}

/**
 * The AWS CLI and other SDKs also read AWS_DEFAULT_REGION, this SDK does not. undefined: this SDK finds the region
 * itself, in AWS_REGION or the profile.
 */
export function defaultRegion(env: Env): string | undefined {
  return set(env["AWS_REGION"]) === undefined ? set(env["AWS_DEFAULT_REGION"]) : undefined;
}

/** An empty variable counts as unset. */
function set(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
