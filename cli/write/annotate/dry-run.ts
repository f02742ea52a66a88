import { Command } from "commander";
import { dryRunAnnotation } from "../../../lib/model/entry/annotations";
import { examples } from "../../shell/help";
import { addGlobalOptions } from "../../shell/global-options";
import { annotateEach } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { showDryRuns } from "./show-dry-run";
import { hpaQueriesOf } from "../../shell/resources/query-files";
import { addReportOptions, type ReportOptions } from "../report";
import { withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";

/** `ebb dry-run hpa NAME on|off`: decides and records, and never writes the scale. Without on or off: how it went. */
export function dryRunCommand(environment: CliEnvironment): Command {
  const command = new Command("dry-run")
    .summary("Let HPAs decide and record, and never scale.")
    .description(
      "Switch a dry run on or off: ebb decides and records, but never writes the scale. Without on or off, show the last " +
        "day: how often ebb would have scaled, beside what the target really did.",
    )
    .argument("[hpa...]", "hpa NAME… [on|off], or hpa/NAME… [on|off]")
    .addHelpText(
      "after",
      examples([
        ["See what it would do", "ebb dry-run hpa web on"],
        ["How did the last day go?", "ebb dry-run hpa web"],
        ["Let it scale", "ebb dry-run hpa web off"],
        ["All of a namespace", "ebb dry-run hpa --all -n shop on"],
      ]),
    );
  return addGlobalOptions(addReportOptions(addChoiceOptions(command))).action(
    (args: readonly string[], options: ChoiceOptions & ReportOptions, self: Command) =>
      withSession(environment, self, async (session) => {
        const last = args.at(-1);
        const state = last === "on" || last === "off" ? last : undefined;
        const named = state === undefined ? args : args.slice(0, -1);
        const queries = await hpaQueriesOf(session, {
          args: named,
          options,
          command: self,
          stdin: environment.stdin,
        });
        if (state === undefined) return await showDryRuns(session, { targets: queries, options });
        const annotations = { [dryRunAnnotation]: state === "on" ? "true" : null };
        return await annotateEach(session, { queries, options, annotations, said: () => `dry run ${state}` });
      }),
  );
}
