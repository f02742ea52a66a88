import { formatTable } from "../shell/print/get-row";
import type { CliEnvironment } from "../shell/environment";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { openOutput } from "../shell/output";
import { alignFor } from "../shell/print/fit-columns";
import { toYaml } from "../shell/print/to-yaml";
import { type Context, configPath, readConfig } from "../shell/config-file";
import { Command, Option } from "commander";
import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, parseDocument } from "yaml";
import { makeFolder } from "../../local/guard/private-files";

export function configCommand(environment: CliEnvironment): Command {
  return new Command("config")
    .description(
      "Show and change the contexts of the config file: which table, region, profile, cluster and namespace.",
    )
    .addCommand(getContexts(environment))
    .addCommand(useContext(environment))
    .addCommand(setContext(environment))
    .addCommand(currentContext(environment))
    .addCommand(renameContext(environment))
    .addCommand(deleteContext(environment))
    .addCommand(viewConfig(environment))
    .addHelpText(
      "after",
      examples([
        [
          "Write a context, and use it from now on",
          "ebb config set-context prod --table ebb-prod --region eu-central-1",
        ],
        ["List the contexts", "ebb config get-contexts"],
        ["Use another", "ebb config use-context prod"],
      ]),
    );
}

const header = ["CURRENT", "NAME", "TABLE", "REGION", "PROFILE", "CLUSTER", "NAMESPACE"];

interface ListOptions {
  readonly output?: string;
  readonly headers: boolean;
}

function getContexts(environment: CliEnvironment): Command {
  return new Command("get-contexts")
    .description("List the contexts; the current one has a star.")
    .argument("[NAME...]", "only these contexts")
    .option("-o, --output <format>", "name: print only the names")
    .option("--no-headers", "leave out the header line")
    .addHelpText("after", examples([["All contexts", "ebb config get-contexts"]]))
    .action(async (names: readonly string[], { output, headers }: ListOptions) => {
      if (output !== undefined && output !== "name")
        throw failure(`output must be one of '' or 'name': got "${output}"`);
      const { contexts = {}, currentContext } = await readConfig(configPath(environment.env));
      const missing = names.filter((name) => !Object.hasOwn(contexts, name));
      const listed = Object.entries(contexts).filter(([name]) => names.length === 0 || names.includes(name));
      const out = openOutput(environment);
      for (const name of missing) out.note(`error: context ${name} not found`);
      if (missing.length > 0) environment.exitWith(1);
      if (output === "name") return out.write(listed.map(([name]) => `${name}\n`).join(""));
      const rows = listed.map(([name, { table, region, profile, cluster, namespace }]) => [
        name === currentContext ? "*" : "",
        name,
        ...[table, region, profile, cluster, namespace].map((field) => field ?? ""),
      ]);
      out.write(formatTable(headers ? header : undefined, rows, alignFor(out.terminal, header)));
    });
}

function useContext(environment: CliEnvironment): Command {
  return new Command("use-context")
    .description("Make a context the current one.")
    .argument("<NAME>", "the context")
    .addHelpText("after", examples([["Work on prod from now on", "ebb config use-context prod"]]))
    .action(async (name: string) => {
      const path = configPath(environment.env);
      const { contexts = {} } = await readConfig(path);
      if (!Object.hasOwn(contexts, name)) throw failure(`no context exists with the name: "${name}"`);
      await editConfig(path, (config) => config.set("currentContext", name));
      openOutput(environment).print(`Switched to context "${name}".`);
    });
}

function setContext(environment: CliEnvironment): Command {
  return new Command("set-context")
    .description("Create a context, or change the given fields of one. The first one becomes the current one.")
    .argument("<NAME>", "the context")
    .option("--table <name>", "the DynamoDB table")
    .option("--region <region>", "the table's AWS region")
    .option("--profile <name>", "the AWS profile with the credentials")
    .option("--cluster <name>", "the cluster to work on")
    .option("-n, --namespace <namespace>", "the namespace to work in")
    .addHelpText(
      "after",
      examples([
        ["A new context", "ebb config set-context prod --table ebb-prod --region eu-central-1"],
        ["Another namespace for it", "ebb config set-context prod --namespace shop"],
      ]),
    )
    .action(async (name: string, _given: object, command: Command) => {
      const { table, region, profile, cluster, namespace } = globalOptions(command);
      const given = Object.entries({ table, region, profile, cluster, namespace }).filter(([, value]) => value);
      const path = configPath(environment.env);
      const { contexts = {}, currentContext } = await readConfig(path);
      const before: Partial<Context> | undefined = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
      if (before === undefined && table === undefined) throw failure(`context "${name}" is new: it needs --table`);
      await editConfig(path, (config) => {
        for (const [field, value] of given) config.setIn(["contexts", name, field], value);
        if (currentContext === undefined) config.set("currentContext", name);
      });
      openOutput(environment).print(`Context "${name}" ${before === undefined ? "created" : "modified"}.`);
    });
}

function currentContext(environment: CliEnvironment): Command {
  return new Command("current-context")
    .description("Print the current context's name.")
    .addHelpText("after", examples([["Which one it is", "ebb config current-context"]]))
    .action(async () => {
      const { currentContext: current } = await readConfig(configPath(environment.env));
      if (!current) throw failure("current-context is not set");
      openOutput(environment).print(current);
    });
}

function viewConfig(environment: CliEnvironment): Command {
  return new Command("view")
    .description("Print the config file.")
    .addOption(new Option("--minify", "only the current context"))
    .addHelpText("after", examples([["The current context alone", "ebb config view --minify"]]))
    .action(async ({ minify }: { readonly minify?: boolean }) => {
      const config = await readConfig(configPath(environment.env));
      const { contexts = {}, currentContext: current } = config;
      const shown = minify === true ? { contexts: ownContext(contexts, current), currentContext: current } : config;
      const out = openOutput(environment);
      out.write(toYaml({ ...shown }, out));
    });
}

function ownContext(contexts: object, current: string | undefined): object {
  if (!current) throw failure("current-context must exist in order to minify");
  return Object.fromEntries(Object.entries(contexts).filter(([name]) => name === current));
}

function deleteContext(environment: CliEnvironment): Command {
  return new Command("delete-context")
    .description("Delete a context from the config file. Its table stays as it is.")
    .argument("<NAME>", "the context")
    .addHelpText("after", examples([["One that is no longer needed", "ebb config delete-context dev"]]))
    .action(async (name: string) => {
      const path = configPath(environment.env);
      const { contexts = {}, currentContext: current } = await readConfig(path);
      if (!Object.hasOwn(contexts, name)) throw failure(`cannot delete context ${name}, not in ${path}`);
      const out = openOutput(environment);
      if (name === current)
        out.note('warning: this removed your active context, use "ebb config use-context" to select a different one');
      await editConfig(path, (config) => {
        config.deleteIn(["contexts", name]);
        if (name === current) config.delete("currentContext");
      });
      out.print(`deleted context ${name} from ${path}`);
    });
}

function renameContext(environment: CliEnvironment): Command {
  return new Command("rename-context")
    .description("Rename a context.")
    .argument("<NAME>", "the context")
    .argument("<NEW_NAME>", "its new name")
    .addHelpText("after", examples([["A shorter name", "ebb config rename-context production prod"]]))
    .action(async (name: string, next: string) => {
      const path = configPath(environment.env);
      const { contexts = {}, currentContext: current } = await readConfig(path);
      if (!Object.hasOwn(contexts, name)) throw failure(`cannot rename the context "${name}", it's not in ${path}`);
      if (Object.hasOwn(contexts, next))
        throw failure(`cannot rename the context "${name}", the context "${next}" already exists in ${path}`);
      await editConfig(path, (config) => {
        config.setIn(["contexts", next], config.getIn(["contexts", name], true));
        config.deleteIn(["contexts", name]);
        if (name === current) config.set("currentContext", next);
      });
      openOutput(environment).print(`Context "${name}" renamed to "${next}".`);
    });
}

/** Keeps comments. Replaces the file as a whole, so that no reader sees half a file. */
async function editConfig(
  path: string,
  change: (config: Pick<Document, "set" | "setIn" | "getIn" | "delete" | "deleteIn">) => void,
): Promise<void> {
  const config = parseDocument(await readOrNothing(path));
  change(config);
  await makeFolder(dirname(path));
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, config.toString(), { mode: 0o600 });
  await rename(unfinished, path);
}

async function readOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
