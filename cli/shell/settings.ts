import { delimiter } from "node:path";
import { type Config, configPath, type Context, readConfig } from "./config-file";
import { chooseDirectory, homeDirectory } from "../../local/stored-tables";
import { failure } from "./failure";
import type { GlobalOptions } from "./global-options";

/** The command line overrides the environment, which overrides the config file's context. */
export interface Settings {
  /** Undefined: the table that `ebb start` keeps in `directory`. */
  readonly table: string | undefined;
  readonly directory: string;
  /** Directories with tables, if nothing selects one. */
  readonly ambiguous?: readonly string[];
  /** Undefined: the AWS SDK's (AWS_REGION, the profile), if any. */
  readonly region: string | undefined;
  readonly profile: string | undefined;
  /** Undefined: the table's only one. */
  readonly cluster: string | undefined;
  readonly namespace: string;
  readonly kubeconfigs: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** @throws Failure for an unusable config file, or an unknown context */
export async function resolveSettings(given: GlobalOptions, env: Env): Promise<Settings> {
  const path = configPath(env);
  const context = chosenContext(await readConfig(path), given.context ?? set(env["EBB_CONTEXT"]), path);
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

/** Unlike the AWS CLI, this SDK does not read AWS_DEFAULT_REGION. Undefined: it finds the region itself. */
export function defaultRegion(env: Env): string | undefined {
  return set(env["AWS_REGION"]) === undefined ? set(env["AWS_DEFAULT_REGION"]) : undefined;
}

function set(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
