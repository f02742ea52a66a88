import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { configPath } from "../../cli/shell/config-file";
import { resolveSettings, type Settings } from "../../cli/shell/settings";
import type { GlobalOptions } from "../../cli/shell/global-options";

const directory = mkdtempSync(join(tmpdir(), "ebb-settings-"));

function configFile(text: string): string {
  const path = join(mkdtempSync(join(directory, "config-")), "config.yaml");
  writeFileSync(path, text);
  return path;
}

const file = configFile(`
currentContext: dev
contexts:
  dev: { table: ebb-dev }
  prod: { table: ebb-prod, region: eu-central-1, profile: ops, cluster: blue, namespace: shop }
`);

const nothing: Settings = {
  table: undefined,
  directory: ".ebb",
  region: undefined,
  profile: undefined,
  cluster: undefined,
  kubeconfigs: [],
  namespace: "default",
};
const prod = {
  table: "ebb-prod",
  region: "eu-central-1",
  profile: "ops",
  cluster: "blue",
  namespace: "shop",
};
const everything = {
  EBB_CONFIG: file,
  EBB_TABLE: "t",
  EBB_REGION: "r",
  EBB_PROFILE: "p",
  EBB_CLUSTER: "c",
  EBB_NAMESPACE: "n",
};

test.each<[string, GlobalOptions, Record<string, string>, Partial<Settings>]>([
  ["nothing is set: the table of .ebb", {}, { EBB_CONFIG: "/nowhere/config.yaml" }, {}],
  ["the current context", {}, { EBB_CONFIG: file }, { table: "ebb-dev" }],
  ["another context by --context", { context: "prod" }, { EBB_CONFIG: file }, prod],
  ["another context by EBB_CONTEXT", {}, { EBB_CONFIG: file, EBB_CONTEXT: "prod" }, prod],
  ["--context over EBB_CONTEXT", { context: "prod" }, { EBB_CONFIG: file, EBB_CONTEXT: "dev" }, prod],
  [
    "the environment over the context",
    { context: "prod" },
    everything,
    { table: "t", region: "r", profile: "p", cluster: "c", namespace: "n" },
  ],
  [
    "the command line over the environment",
    { table: "T", region: "R", profile: "P", cluster: "C", namespace: "N" },
    everything,
    { table: "T", region: "R", profile: "P", cluster: "C", namespace: "N" },
  ],
  ["an empty variable is ignored", { context: "prod" }, { EBB_CONFIG: file, EBB_TABLE: "", EBB_NAMESPACE: "" }, prod],
  [
    "a directory on the command line means the table in it",
    { directory: "d" },
    { EBB_CONFIG: file, EBB_TABLE: "t" },
    { directory: "d" },
  ],
  ["a table beside a directory", { directory: "d", table: "t" }, { EBB_CONFIG: file }, { directory: "d", table: "t" }],
  [
    "the kubeconfigs that the user names",
    {},
    { EBB_CONFIG: "/nowhere", KUBECONFIG: `/a${delimiter}${delimiter}b` },
    { kubeconfigs: ["/a", "b"] },
  ],
  ["an empty config file", {}, { EBB_CONFIG: configFile("") }, {}],
])("%s", async (_, given, env, expected) => {
  expect(await resolveSettings(given, env)).toEqual({ ...nothing, ...expected });
});

test.each<[string, string, string | undefined, string]>([
  [
    "an unknown context",
    "contexts: { a: { table: t }, b: { table: u } }",
    "c",
    'context "c" does not exist in FILE; it has a, b',
  ],
  ["no contexts at all", "currentContext: c", undefined, 'context "c" does not exist in FILE; it has no contexts'],
  [
    "a prototype's name",
    "contexts: {}",
    "constructor",
    'context "constructor" does not exist in FILE; it has no contexts',
  ],
  [
    "a context without a table",
    "contexts: { a: { region: r } }",
    "a",
    "FILE: contexts.a.table: expected the name of a DynamoDB table, got nothing",
  ],
  ["a number", "contexts: { a: { table: 1 } }", "a", "FILE: contexts.a.table: expected text, got 1"],
  [
    "a misspelt field",
    "contexts: { a: { table: t, zone: z } }",
    "a",
    "FILE: contexts.a.zone: unknown field, expected one of table, region, profile, cluster, namespace",
  ],
  [
    "kubectl's current-context",
    "current-context: a",
    undefined,
    "FILE: current-context: unknown field, expected currentContext or contexts",
  ],
  ["a list", "[a]", undefined, 'FILE: expected a map with currentContext and contexts, got ["a"]'],
  ["contexts as a list", "contexts: [a]", undefined, 'FILE: contexts: expected a map of contexts by name, got ["a"]'],
  [
    "a context that is text",
    "contexts: { a: t }",
    "a",
    'FILE: contexts.a: expected a map with table, region, profile, cluster, namespace, got "t"',
  ],
])("the config file has %s", async (_, text, context, message) => {
  const path = configFile(text);
  const given = context === undefined ? {} : { context };
  await expect(resolveSettings(given, { EBB_CONFIG: path })).rejects.toThrow(message.replace("FILE", path));
});

test("an error names the place where the config file is not YAML", async () => {
  const path = configFile("a: [1\nb: 2\n");
  await expect(resolveSettings({}, { EBB_CONFIG: path })).rejects.toThrow(`${path}: `);
  await expect(resolveSettings({}, { EBB_CONFIG: path })).rejects.toThrow("line 2");
});

test("the config file is in the conventional folder", () => {
  expect(configPath({ EBB_CONFIG: "/e", XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/e");
  expect(configPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/ebb/config.yaml");
  expect(configPath({ HOME: "/h" })).toBe("/h/.config/ebb/config.yaml");
});
