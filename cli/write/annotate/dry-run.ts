import type { Command } from "commander";
import { dryRunAnnotation } from "../../../lib/model/entry/annotations";
import { annotateEach } from "./change-metadata";
import { addChoiceOptions, type ChoiceOptions } from "./choose-entries";
import { showDryRuns } from "./show-dry-run";
import { hpaQueriesOf } from "../documents/query-files";
import { addReportOptions, type ReportOptions } from "../report";
import { tableVerb } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";

/** `ebb dry-run hpa NAME [on|off]`; without on or off, reports on the last day. */
export function dryRunCommand(environment: CliEnvironment): Command {
  return tableVerb<ChoiceOptions & ReportOptions>(environment, {
    name: "dry-run",
    summary: "Let HPAs decide and record, and never scale.",
    description:
      "Switch a dry run on or off: ebb decides and records, but never writes the scale. Without on or off, show the last " +
      "day: how often ebb would have scaled, beside what the target really did.",
    arguments: [["[hpa...]", "hpa NAME… [on|off], or hpa/NAME… [on|off]"]],
    options: (command) => addReportOptions(addChoiceOptions(command)),
    examples: [
      ["See what it would do", "ebb dry-run hpa web on"],
      ["How did the last day go?", "ebb dry-run hpa web"],
      ["Let it scale", "ebb dry-run hpa web off"],
      ["All of a namespace", "ebb dry-run hpa --all -n shop on"],
    ],
    async run(session, line) {
      const { args, options } = line;
      const last = args.at(-1);
      const state = last === "on" || last === "off" ? last : undefined;
      const queries = await hpaQueriesOf(session, state === undefined ? line : { ...line, args: args.slice(0, -1) });
      if (state === undefined) return await showDryRuns(session, { queries, options });
      const annotations = { [dryRunAnnotation]: state === "on" ? "true" : null };
      return await annotateEach(session, { queries, options, annotations, said: () => `dry run ${state}` });
    },
  });
}
