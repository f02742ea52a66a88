import { Command } from "commander";
import type { CliEnvironment } from "./environment";
import { failure, failureText } from "./failure";
import { addGlobalOptions } from "./global-options";
import { examples } from "./help";
import { type Session, withSession } from "./session";

export interface VerbHelp {
  readonly name: string;
  /** For the list of verbs; default: the description. */
  readonly summary?: string;
  readonly description: string;
  readonly examples: Parameters<typeof examples>[0];
}

interface TableVerb<Options> extends VerbHelp {
  /** As in commander: "[NAME...]". */
  readonly arguments?: readonly (readonly [name: string, description?: string])[];
  readonly options: (command: Command) => Command;
  /** Exit code; default: the failure's own. */
  readonly failed?: number;
  /** May return the exit code. */
  readonly run: (session: Session, line: CommandLine<Options>) => Promise<number | void>;
}

export interface CommandLine<Options> extends Pick<CliEnvironment, "stdin"> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly command: Command;
}

export function tableVerb<Options>(environment: CliEnvironment, verb: TableVerb<Options>): Command {
  const command = new Command(verb.name).description(verb.description);
  if (verb.summary !== undefined) command.summary(verb.summary);
  for (const [name, description] of verb.arguments ?? []) command.argument(name, description);
  verb.options(command).addHelpText("after", examples(verb.examples));
  return addGlobalOptions(command).action(async (...given: unknown[]) => {
    const [options, self] = given.slice(-2) as [Options, Command];
    const typed = given.slice(0, -2).flat() as (string | undefined)[];
    const args = typed.filter((arg) => arg !== undefined);
    const line = { args, options, command: self, stdin: environment.stdin };
    try {
      await withSession(environment, self, (session) => verb.run(session, line));
    } catch (error) {
      throw verb.failed === undefined ? error : failure(failureText(error), verb.failed);
    }
  });
}
