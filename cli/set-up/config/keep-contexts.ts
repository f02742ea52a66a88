import { Command, Option } from "commander";
import { toYaml } from "../../shell/print/to-yaml";
import { failure } from "../../shell/failure";
import { examples } from "../../shell/help";
import { openOutput } from "../../shell/output";
import type { CliEnvironment } from "../../shell/environment";
import { configPath, readConfig } from "./config-file";
import { editConfig } from "./edit-config";

/** `ebb config current-context` */
export function currentContext(environment: CliEnvironment): Command {
  return new Command("current-context")
    .description("Print the current context's name.")
    .addHelpText("after", examples([["Which one it is", "ebb config current-context"]]))
    .action(async () => {
      const { currentContext: current } = await readConfig(configPath(environment.env));
      if (!current) throw failure("current-context is not set");
      openOutput(environment).print(current);
    });
}

/** `ebb config view`. The file holds no secret. */
export function viewConfig(environment: CliEnvironment): Command {
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

/** `ebb config delete-context` */
export function deleteContext(environment: CliEnvironment): Command {
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

/** `ebb config rename-context` */
export function renameContext(environment: CliEnvironment): Command {
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
