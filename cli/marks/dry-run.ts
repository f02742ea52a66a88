import { Command } from "commander";
import { dryRunAnnotation } from "../../lib/model/entry/annotations";
import { examples } from "../help";
import { failure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { changeEach, changeMarks } from "./change-marks";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { parseHpas } from "./parse-changes";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";

/** `ebb dry-run hpa NAME on|off`: decides and records, and never writes the scale. */
export function dryRunCommand(surroundings: Surroundings): Command {
  const command = new Command("dry-run")
    .summary("Let HPAs decide and record, and never scale.")
    .description("Switch a dry run on or off: ebb decides and records, but never writes the scale.")
    .argument("<hpa...>", "hpa NAME… on|off, or hpa/NAME… on|off")
    .addHelpText(
      "after",
      examples([
        ["See what it would do", "ebb dry-run hpa web on"],
        ["Let it scale", "ebb dry-run hpa web off"],
        ["All of a namespace", "ebb dry-run hpa --all -n shop on"],
      ]),
    );
  return addGlobalOptions(addChoiceOptions(command)).action(
    (args: readonly string[], options: ChoiceOptions, self: Command) =>
      withSession(surroundings, self, async (session) => {
        const state = args.at(-1);
        if (state !== "on" && state !== "off") throw failure(`expected on or off at the end, got "${state}"`);
        const annotations = { [dryRunAnnotation]: state === "on" ? "true" : null };
        return await changeEach(session, {
          targets: parseHpas(args.slice(0, -1), "dry-run"),
          options,
          change: async (entry) => {
            await changeMarks(session, entry, () => ({ annotations }));
            return `dry run ${state}`;
          },
        });
      }),
  );
}
