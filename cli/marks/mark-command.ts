import { Command } from "commander";
import type { StandingEntry } from "../../lib/table/entry-item";
import { failure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { parseTargets } from "../resources/parse-targets";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";
import { changeEach } from "./change-each";
import { changeMarks, type MarkChanges, marksIn } from "./change-marks";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { type MarkArguments, parseChanges } from "./parse-changes";

interface MarkOptions extends ChoiceOptions {
  readonly overwrite?: boolean;
}

export interface MarkVerb {
  readonly verb: string;
  readonly field: keyof MarkChanges;
  /** What is printed after an object's name. */
  readonly said: (changes: MarkArguments["changes"], isChanged: boolean) => string;
}

/** A verb that sets and removes labels or annotations, as kubectl's. */
export function markCommand(surroundings: Surroundings, { verb, field, said }: MarkVerb): Command {
  const command = new Command(verb)
    .argument("<argument...>", "TYPE NAME… key=value… key-…, or TYPE/NAME…; a key with - at its end is removed")
    .option("--overwrite", "change values that are set already");
  return addGlobalOptions(addChoiceOptions(command)).action(
    (args: readonly string[], options: MarkOptions, self: Command) =>
      withSession(surroundings, self, async (session) => {
        const { targets, changes } = parseChanges(args, field);
        const change = async (entry: StandingEntry) => {
          const isChanged = await changeMarks(session, entry, (standing) => {
            if (options.overwrite !== true) refuseOverwriting(marksIn(standing, field), changes);
            return { [field]: changes };
          });
          return said(changes, isChanged);
        };
        return await changeEach(session, { targets: parseTargets(targets, verb), options, change });
      }),
  );
}

/** @throws Failure in kubectl's words */
function refuseOverwriting(standing: Readonly<Record<string, unknown>>, changes: MarkArguments["changes"]): void {
  for (const [name, value] of Object.entries(changes)) {
    const before = standing[name];
    if (value === null || before === undefined || before === value) continue;
    throw failure(
      `'${name}' already has a value (${typeof before === "string" ? before : JSON.stringify(before)}), and --overwrite is false`,
    );
  }
}
