import { closeAfter } from "../../lib/async/closing";
import { openEntries } from "../../lib/table/entries";
import { configPath, readConfig } from "../shell/config-file";
import { type Settings, resolveSettings } from "../shell/settings";
import type { CliEnvironment } from "../shell/environment";
import type { GlobalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { type Lookup, candidates } from "./completion-candidates";
import { RootCommand } from "@bomb.sh/tab";
import { Argument, Command } from "commander";

const shells = ["bash", "zsh", "fish", "powershell"];

export function completionCommand(environment: CliEnvironment): Command {
  return new Command("completion")
    .summary("Set up completion in your shell.")
    .description(
      "Print the script that makes a shell complete verbs, options and the names in the table. " +
        "bash needs the package bash-completion.",
    )
    .addArgument(new Argument("<SHELL>").choices(shells))
    .addHelpText(
      "after",
      examples([
        ["bash: in this shell, or as a line of ~/.bashrc", "source <(ebb completion bash)"],
        ["zsh: as a line of ~/.zshrc, after compinit", "source <(ebb completion zsh)"],
        ["fish", "ebb completion fish > ~/.config/fish/completions/ebb.fish"],
        ["PowerShell: as a line of $PROFILE", "ebb completion powershell | Out-String | Invoke-Expression"],
      ]),
    )
    .action((shell: string) => {
      environment.stdout.write(script(shell));
    });
}

function script(shell: string): string {
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: string) => lines.push(text);
  try {
    new RootCommand().setup("ebb", "ebb", shell);
  } finally {
    console.log = log;
  }
  const text = `${lines.join("\n")}\n`;
  return shell === "bash" ? forBash(text) : text;
}

/**
 * Without constants, because a shell may source the script twice, and without the flag of `--flag=`, because bash
 * begins a word there.
 */
function forBash(text: string): string {
  return text
    .replace(/^readonly /gm, "")
    .replace("complete -F ", "complete -o default -F ")
    .replace(
      "    # Process completions\n",
      `    local flagPrefix=""
    if [[ "$cur" == -*=* ]]; then
        [[ "$COMP_WORDBREAKS" == *=* ]] || flagPrefix="\${cur%%=*}="
        cur="\${cur#*=}"
    fi

    # Process completions
`,
    )
    .replace('compgen -W "${completions[*]}"', 'compgen -P "$flagPrefix" -W "${completions[*]}"');
}

/** Flags of kubectl's completion protocol. */
const directives = { files: 0, noFiles: 4 } as const;

/** Prints each candidate with a tab and a description, then a directive. Always succeeds. */
export function completeCommand(environment: CliEnvironment, program: Command): Command {
  return new Command("complete")
    .description("candidates for the last word, for the scripts of `ebb completion`")
    .argument("[WORD...]")
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const { values, files } = await candidates(program, words, tableLookup(environment));
      const lines = values.map(({ value, description = "" }) => `${value}\t${description.split("\n")[0] ?? ""}`);
      const directive = files === true ? directives.files : directives.noFiles;
      environment.stdout.write([...lines, `:${directive}`, ""].join("\n"));
    });
}

/** The shell waits for this: better no names than a stuck prompt. */
const timeoutMs = 1500;

/** Reports no failures: the user is typing. */
function tableLookup(environment: CliEnvironment): Lookup {
  return {
    async names(what, given) {
      try {
        const { env } = environment;
        if (what === "contexts") return Object.keys((await readConfig(configPath(env))).contexts ?? {});
        const options = given as GlobalOptions;
        return await inTime(fromTable(environment, what, await resolveSettings(options, env)));
      } catch {
        return [];
      }
    },
  };
}

async function fromTable(
  environment: CliEnvironment,
  what: Parameters<Lookup["names"]>[0],
  settings: Settings,
): Promise<readonly string[]> {
  const { table, close } = await environment.openTable(settings);
  const signal = AbortSignal.timeout(timeoutMs);
  return await closeAfter(async (closing) => {
    closing.add(close);
    const entries = openEntries(table);
    const scope = settings.cluster === undefined ? {} : { cluster: settings.cluster };
    if (what === "clusters") return (await entries.list("Cluster", {}, signal)).map(({ ref }) => ref.name);
    if (what === "sources")
      return distinct((await entries.list("MetricSource", scope, signal)).map(({ ref }) => ref.name));
    const hpas = await entries.list("HorizontalPodAutoscaler", scope, signal);
    if (what === "namespaces") return distinct(hpas.map(({ ref }) => ref.namespace ?? ""));
    const { namespace } = settings;
    return distinct(hpas.filter(({ ref }) => ref.namespace === namespace).map(({ ref }) => ref.name));
  });
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== "");
}

async function inTime<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly T[]>((resolve) => (timer = setTimeout(() => resolve([]), timeoutMs)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
