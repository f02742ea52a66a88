import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { isMap } from "../../lib/k8s/map";
import { unknownFieldText } from "../../lib/model/check/closest";
import { failure } from "./failure";

export interface Context {
  readonly table: string;
  readonly region?: string;
  readonly profile?: string;
  readonly cluster?: string;
  readonly namespace?: string;
}

export interface Config {
  readonly currentContext?: string;
  readonly contexts?: Readonly<Record<string, Context>>;
}

/** $EBB_CONFIG, else $XDG_CONFIG_HOME/ebb/config.yaml, else ~/.config/ebb/config.yaml. */
export function configPath(env: Readonly<Record<string, string | undefined>>): string {
  const { EBB_CONFIG, XDG_CONFIG_HOME, HOME } = env;
  if (EBB_CONFIG) return EBB_CONFIG;
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "ebb", "config.yaml");
}

/** A missing file counts as empty. @throws Failure */
export async function readConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw failure(`${path}: cannot be read: ${(error as Error).message}`);
  }
  const config: unknown = parsed(text, path);
  const problem = configProblem(config);
  if (problem !== undefined) throw failure(`${path}: ${problem}`);
  return config ?? {};
}

function parsed(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw failure(`${path}: ${(error as Error).message.trim()}`);
  }
}

const contextFields = ["table", "region", "profile", "cluster", "namespace"];

function configProblem(config: unknown): string | undefined {
  if (config === null || config === undefined) return undefined;
  if (!isMap(config)) return `expected a map with currentContext and contexts, got ${JSON.stringify(config)}`;
  const unknown = Object.keys(config).find((field) => field !== "currentContext" && field !== "contexts");
  if (unknown !== undefined) return `${unknown}: unknown field, expected currentContext or contexts`;
  const { currentContext, contexts } = config;
  if (currentContext !== undefined && typeof currentContext !== "string")
    return `currentContext: expected a context's name, got ${JSON.stringify(currentContext)}`;
  if (contexts === undefined || contexts === null) return undefined;
  if (!isMap(contexts)) return `contexts: expected a map of contexts by name, got ${JSON.stringify(contexts)}`;
  return Object.entries(contexts)
    .map(([name, context]) => contextProblem(context, `contexts.${name}`))
    .find((problem) => problem !== undefined);
}

function contextProblem(context: unknown, where: string): string | undefined {
  if (!isMap(context))
    return `${where}: expected a map with ${contextFields.join(", ")}, got ${JSON.stringify(context)}`;
  if (context["table"] === undefined) return `${where}.table: expected the name of a DynamoDB table, got nothing`;
  const wrong = Object.entries(context).find(([field, value]) => !contextFields.includes(field) || !isText(value));
  if (wrong === undefined) return undefined;
  const [field, value] = wrong;
  return contextFields.includes(field)
    ? `${where}.${field}: expected text, got ${JSON.stringify(value)}`
    : `${where}.${field}: ${unknownFieldText(field, contextFields)}`;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
