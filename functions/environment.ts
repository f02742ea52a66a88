import { hostName } from "../lib/net/address";
import { Fault } from "../lib/model/fault";

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Fault "badEntry" */
export function requireVariable(env: Environment, name: string, expected: string): string {
  const value = env[name];
  if (value === undefined || value.trim() === "") {
    throw new Fault("badEntry", `environment variable ${name}: expected ${expected}, got nothing`);
  }
  return value;
}

/** @throws Fault "badEntry" */
export function requireUrl(env: Environment, name: string, expected: string): string {
  const value = requireVariable(env, name, expected);
  const protocol = URL.canParse(value) ? new URL(value).protocol : undefined;
  if (protocol === "https:" || protocol === "http:") return value;
  throw new Fault("badEntry", `environment variable ${name}: expected ${expected}, got ${value}`);
}

/** Undefined: not set. @throws Fault "badEntry" */
export function countOrZero(env: Environment, name: string, expected: string): number | undefined {
  return env[name] === "0" ? 0 : optionalCount(env, name, expected);
}

/** At least 1; undefined: not set. @throws Fault "badEntry" */
export function optionalCount(env: Environment, name: string, expected: string): number | undefined {
  const value = env[name];
  if (value === undefined || value === "") return undefined;
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new Fault("badEntry", `environment variable ${name}: expected ${expected}, got ${value}`);
}

/** @throws Fault "badEntry" */
export function dollars(env: Environment, name: string, otherwise: number): number {
  const value = env[name];
  if (value === undefined || value === "") return otherwise;
  if (/^\d{1,9}(\.\d{1,4})?$/.test(value)) return Number(value);
  throw new Fault("badEntry", `environment variable ${name}: expected a number of $ such as 20, got ${value}`);
}

/** Default: the first. @throws Fault "badEntry" */
export function choiceIn<T extends string>(env: Environment, name: string, choices: readonly [T, ...T[]]): T {
  const value = env[name] || choices[0];
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new Fault("badEntry", `environment variable ${name}: expected ${choices.join(" or ")}, got ${value}`);
}

/** Separated by commas; empty if not set. @throws Fault "badEntry" */
export function hostList(env: Environment, name: string): readonly string[] {
  return listed(env, name).map((item) => {
    if (isHost(item)) return item;
    throw new Fault("badEntry", `environment variable ${name}: expected host names or addresses, got ${item}`);
  });
}

/** Also `*.example.com`. */
export function hostPatterns(env: Environment, name: string): readonly string[] {
  return listed(env, name).map((item) => {
    if (isHost(item.replace(/^\*\./, ""))) return item;
    const expected = "host names, addresses or *.example.com";
    throw new Fault("badEntry", `environment variable ${name}: expected ${expected}, got ${item}`);
  });
}

function listed(env: Environment, name: string): readonly string[] {
  const items = (env[name] ?? "").split(",").map((item) => hostName(item.trim()));
  return items.filter((item) => item !== "");
}

function isHost(item: string): boolean {
  const url = `https://${item.includes(":") ? `[${item}]` : item}`;
  return /^[\w.:-]+$/.test(item) && URL.canParse(url) && hostName(new URL(url).host) === item;
}
