import { Command } from "commander";
import { pausedAnnotation, pausedUntilAnnotation } from "../../lib/api/annotations";
import { examples } from "../examples";
import { addGlobalOptions } from "../global-options";
import { changeEach } from "../marks/change-each";
import { changeMarks } from "../marks/change-marks";
import { addChoiceOptions, type ChoiceOptions } from "../marks/choose-entries";
import { parseHpas } from "../marks/parse-hpas";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";

const annotations = { [pausedAnnotation]: null, [pausedUntilAnnotation]: null };

/** `ebb resume hpa`: ends a pause. */
export function resumeCommand(surroundings: Surroundings): Command {
  const command = new Command("resume")
    .summary("End a pause.")
    .description("Resume HPAs that were paused.")
    .argument("<hpa...>", "hpa NAME…, or hpa/NAME…")
    .addHelpText(
      "after",
      examples([
        ["One of them", "ebb resume hpa web"],
        ["All of all namespaces", "ebb resume hpa --all -A"],
      ]),
    );
  return addGlobalOptions(addChoiceOptions(command)).action(
    (args: readonly string[], options: ChoiceOptions, self: Command) =>
      withSession(surroundings, self, (session) =>
        changeEach(session, {
          targets: parseHpas(args, "resume"),
          options,
          change: async (entry) => {
            const wasPaused = await changeMarks(session, entry, () => ({ annotations }));
            return wasPaused ? "resumed" : "not paused";
          },
        }),
      ),
  );
}
