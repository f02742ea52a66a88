import type { Command } from "commander";
import { formatSeconds } from "../../../lib/k8s/time";
import { pausedAnnotation, pausedUntilAnnotation } from "../../../lib/model/entry/annotation-names";
import { failure } from "../../shell/failure";
import { momentAfter, momentOf } from "./moment-to-come";
import { hpaQueriesOf } from "../documents/query-files";
import { addReportOptions, type ReportOptions } from "../report";
import { tableVerb } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";
import { annotateEach } from "./change-metadata";
import { type ChoiceOptions, addChoiceOptions } from "./choose-entries";

interface PauseOptions extends ChoiceOptions, ReportOptions {
  readonly until?: string;
  readonly for?: string;
}

export function pauseCommand(environment: CliEnvironment): Command {
  return tableVerb<PauseOptions>(environment, {
    name: "pause",
    summary: "Stop HPAs from scaling, for a while or until you resume them.",
    description: "Pause HPAs: ebb decides nothing and writes no scale, until the given time or until `ebb resume`.",
    arguments: [["[hpa...]", "hpa NAME…, or hpa/NAME…"]],
    options: (command) =>
      addReportOptions(
        addChoiceOptions(
          command
            .option("--until <time>", '2026-03-01T18:00:00Z, or by this machine\'s clock: 18:00, "tomorrow 08:00"')
            .option("--for <duration>", "from now: 90s, 2h, 1h30m, 7d"),
        ),
      ),
    examples: [
      ["Until you resume it", "ebb pause hpa web"],
      ["During a migration", "ebb pause hpa web worker -n shop --for 2h"],
      ["Everything in the namespace, overnight", 'ebb pause hpa --all -n shop --until "tomorrow 08:00"'],
      ["Everywhere, by a label", "ebb pause hpa -A -l tier=batch"],
    ],
    async run(session, line) {
      const until = pausedUntil(line.options, session.now());
      const queries = await hpaQueriesOf(session, line);
      return await annotateEach(session, {
        queries,
        options: line.options,
        annotations:
          until === undefined
            ? { [pausedAnnotation]: "true", [pausedUntilAnnotation]: null }
            : { [pausedAnnotation]: null, [pausedUntilAnnotation]: until },
        said: () => (until === undefined ? "paused" : `paused until ${until}`),
      });
    },
  });
}

/** RFC 3339, rounded up to whole seconds. */
function pausedUntil({ until, for: duration }: PauseOptions, now: number): string | undefined {
  if (until !== undefined && duration !== undefined) throw failure("--until and --for are mutually exclusive");
  if (until === undefined && duration === undefined) return undefined;
  const at = until === undefined ? momentAfter(duration ?? "", now) : momentOf(until, now);
  return formatSeconds(Math.ceil(at / 1000) * 1000);
}

export function resumeCommand(environment: CliEnvironment): Command {
  return tableVerb<ChoiceOptions & ReportOptions>(environment, {
    name: "resume",
    summary: "End a pause.",
    description: "Resume HPAs that were paused.",
    arguments: [["[hpa...]", "hpa NAME…, or hpa/NAME…"]],
    options: (command) => addReportOptions(addChoiceOptions(command)),
    examples: [
      ["One of them", "ebb resume hpa web"],
      ["All of all namespaces", "ebb resume hpa --all -A"],
    ],
    run: async (session, line) =>
      await annotateEach(session, {
        queries: await hpaQueriesOf(session, line),
        options: line.options,
        annotations: { [pausedAnnotation]: null, [pausedUntilAnnotation]: null },
        said: (isChanged) => (isChanged ? "resumed" : "not paused"),
      }),
  });
}
