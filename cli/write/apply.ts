import { Command } from "commander";
import { isFault } from "../../lib/model/fault";
import { applyEntry, type Overtaken, planEntry } from "../../lib/table/apply-entry";
import type { NextEntry } from "../../lib/table/next-entry";
import type { PlacedDocument } from "./place-documents";
import { readPlaced } from "./place-documents";
import { refuseUnusable } from "./refuse-unusable";
import { entryWarnings } from "./entry-warnings";
import { addWriteOptions, type WriteOptions } from "./documents/document-options";
import { objectName } from "./documents/printed-object";
import { examples } from "../shell/help";
import { entryFailure, failureText, isFailure } from "../shell/failure";
import { addGlobalOptions } from "../shell/global-options";
import { eachInOrder, runsOf } from "../shell/in-order";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";
import { addReportOptions, openListReport, type ReportOptions } from "./report";

interface ApplyOptions extends WriteOptions, ReportOptions {}

/** `ebb apply -f`: writes documents of all kinds into the table. */
export function applyCommand(environment: CliEnvironment): Command {
  const command = new Command("apply")
    .description(
      "Write Clusters, HorizontalPodAutoscalers and MetricSources into the table, or change them to match a file.",
    )
    .addHelpText(
      "after",
      examples([
        ["Write the objects of a file", "ebb apply -f hpa.yaml"],
        ["All files of a folder and its subfolders, into one cluster", "ebb apply -R -f deploy/ --cluster prod"],
        ["All HPAs of a namespace in a cluster", "kubectl get hpa -n shop -o yaml | ebb apply -f -"],
        ["See what would be done", "ebb apply -f hpa.yaml --dry-run"],
      ]),
    );
  return addGlobalOptions(addReportOptions(addWriteOptions(command))).action((options: ApplyOptions, self: Command) =>
    withSession(environment, self, async (session) => {
      const placed = await readPlaced({ options, command: self, stdin: environment.stdin }, session);
      await refuseUnusable(placed, session);
      return await applyAll(placed, options, session);
    }),
  );
}

/** Applies documents in order. Reports each failure, and continues. Returns the exit code. */
export async function applyAll(
  placed: readonly PlacedDocument[],
  options: ReportOptions,
  session: Session,
): Promise<number> {
  const { out } = session;
  const report = await openListReport(out, options);
  let failures = 0;
  const change = options.dryRun === "none" ? applied : planEntry;
  for (const run of runsOf(placed)) {
    await eachInOrder(session, run, {
      doing: (document) => `applying ${objectName(document)}`,
      call: (document): Promise<NextEntry> => change(document, session),
      done: (next, document) => report.done({ ...document, document: next.document }, next.change),
      failed(error) {
        if (!isOfOneEntry(error)) return false;
        out.note(failureText(error));
        failures += 1;
        return true;
      },
    });
  }
  report.end();
  for (const warning of await entryWarnings(placed, session)) out.warn(warning);
  return failures === 0 ? 0 : 1;
}

const refusals: Readonly<Record<Overtaken, Parameters<typeof entryFailure>[0]>> = {
  created: "AlreadyExists",
  deleted: "NotFound",
  changed: "Conflict",
};

/** @throws Failure when somebody else wrote the entry meanwhile: neither change is lost */
async function applied(document: PlacedDocument, session: Session): Promise<NextEntry> {
  const result = await applyEntry(document, session);
  if ("overtaken" in result) throw entryFailure(refusals[result.overtaken], document.ref);
  return result;
}

/** A conflict, an item that is too large, a lost reply: the next entry may still succeed. */
function isOfOneEntry(error: unknown): boolean {
  return isFailure(error) || isFault(error, "badEntry") || isFault(error, "lost");
}
