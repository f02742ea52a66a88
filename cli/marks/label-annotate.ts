import { Command } from "commander";
import { annotationErrors } from "../../lib/model/entry/annotations";
import type { StoredEntry } from "../../lib/table/items/entry-item";
import { failure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { examples } from "../help";
import { parseTargets, type ResourceQuery } from "../resources/parse-targets";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";
import { type MarkChanges, changeEach, changeMarks, marksIn } from "./change-marks";
import { type ChoiceOptions, addChoiceOptions, entryKindOf } from "./choose-entries";
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
        const { targets: named, changes } = parseChanges(args, field);
        const targets = parseTargets(named, verb);
        if (field === "annotations") refuseUnreadable(targets, changes);
        const change = async (entry: StoredEntry) => {
          const isChanged = await changeMarks(session, entry, (stored) => {
            if (options.overwrite !== true) refuseOverwriting(marksIn(stored, field), changes);
            return { [field]: changes };
          });
          return said(changes, isChanged);
        };
        return await changeEach(session, { targets, options, change });
      }),
  );
}

/** Annotations that the sync could not read. @throws Failure */
function refuseUnreadable(targets: readonly ResourceQuery[], changes: MarkArguments["changes"]): void {
  const set = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null);
  for (const { resource } of targets) {
    const kind = entryKindOf(resource.name);
    const [wrong] = kind === undefined ? [] : annotationErrors(kind, { annotations: Object.fromEntries(set) });
    if (wrong !== undefined) throw failure(wrong.text);
  }
}

/** @throws Failure in kubectl's words */
function refuseOverwriting(stored: Readonly<Record<string, unknown>>, changes: MarkArguments["changes"]): void {
  for (const [name, value] of Object.entries(changes)) {
    const before = stored[name];
    if (value === null || before === undefined || before === value) continue;
    throw failure(
      `'${name}' already has a value (${typeof before === "string" ? before : JSON.stringify(before)}), and --overwrite is false`,
    );
  }
}

/** `ebb label`: sets and removes labels. */
export function labelCommand(surroundings: Surroundings): Command {
  const said = (changes: Readonly<Record<string, string | null>>, isChanged: boolean) => {
    if (!isChanged) return "not labeled";
    return Object.values(changes).every((value) => value === null) ? "unlabeled" : "labeled";
  };
  return markCommand(surroundings, { verb: "label", field: "labels", said })
    .summary("Set or remove labels.")
    .description("Set or remove labels of clusters, HPAs or metric sources.")
    .addHelpText(
      "after",
      examples([
        ["Set one", "ebb label hpa web tier=batch"],
        ["Change it", "ebb label hpa web --overwrite tier=web"],
        ["Remove it", "ebb label hpa web tier-"],
      ]),
    );
}

/** `ebb annotate`: sets and removes annotations. */
export function annotateCommand(surroundings: Surroundings): Command {
  return markCommand(surroundings, { verb: "annotate", field: "annotations", said: () => "annotated" })
    .summary("Set or remove annotations.")
    .description("Set or remove annotations of clusters, HPAs or metric sources.")
    .addHelpText(
      "after",
      examples([
        ["Set one", "ebb annotate hpa web team=checkout"],
        [
          "Change one and remove another, of all HPAs of a namespace",
          "ebb annotate hpa --all -n shop --overwrite team=cart owner-",
        ],
      ]),
    );
}
