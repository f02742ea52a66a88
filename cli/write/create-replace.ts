import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { isFault } from "../../lib/model/fault";
import { editedEntry, nextEntry } from "../../lib/table/next-entry";
import type { EntryDocument } from "../../lib/model/ports/entries";
import { refuseUnusable } from "./refuse-unusable";
import { entryWarnings } from "./entry-warnings";
import { type PlacedDocument, readPlaced } from "./place-documents";
import { addWriteOptions, type WriteOptions } from "./documents/document-options";
import { objectName } from "./documents/printed-object";
import { entryFailure, failureText, isEntryFailure, isFailure } from "../shell/failure";
import { addGlobalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { eachInOrder, runsOf } from "../shell/in-order";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";
import { overwrite } from "./overwrite";
import { addReportOptions, openReport, type ReportOptions } from "./report";

interface FileOptions extends WriteOptions, ReportOptions {}

interface FileVerb {
  /** "creating", for errors. */
  readonly doing: string;
  /** "created" */
  readonly done: string;
  readonly write: (document: PlacedDocument, session: Session, options: FileOptions) => Promise<EntryDocument>;
}

/** `ebb create -f`: new entries, and an error for each that exists. */
export function createCommand(environment: CliEnvironment): Command {
  const verb = { doing: "creating", done: "created", write: create };
  return fileCommand(new Command("create"), environment, verb)
    .description("Create Clusters, HorizontalPodAutoscalers and MetricSources from files. What exists stays as it is.")
    .addHelpText(
      "after",
      examples([
        ["The objects of a file", "ebb create -f hpa.yaml"],
        ["What would be sent", "ebb create -f hpa.yaml --dry-run=client -o yaml"],
      ]),
    );
}

/** `ebb replace -f`: each entry as the file has it, the annotations that operations set included. */
export function replaceCommand(environment: CliEnvironment): Command {
  const verb = { doing: "replacing", done: "replaced", write: replace };
  return fileCommand(new Command("replace"), environment, verb)
    .summary("Replace objects by what a file says.")
    .description(
      "Replace Clusters, HorizontalPodAutoscalers and MetricSources by what files say. Unlike apply, it also ends a pause that the file does not name.",
    )
    .addHelpText(
      "after",
      examples([
        ["The objects of a file", "ebb replace -f hpa.yaml"],
        [
          "An HPA with another maximum",
          "ebb get hpa web -o yaml | sed 's/maxReplicas: .*/maxReplicas: 9/' | ebb replace -f -",
        ],
      ]),
    );
}

function fileCommand(command: Command, environment: CliEnvironment, verb: FileVerb): Command {
  return addGlobalOptions(addReportOptions(addWriteOptions(command))).action((options: FileOptions, self: Command) =>
    withSession(environment, self, async (session) => {
      const report = await openReport(session.out, options);
      const placed = await readPlaced({ options, command: self, stdin: environment.stdin }, session);
      await refuseUnusable(placed, session);
      let code = 0;
      for (const run of runsOf(placed)) {
        await eachInOrder(session, run, {
          doing: (document) => `${verb.doing} ${objectName(document)}`,
          call: (document) => verb.write(document, session, options),
          done: (written, document) => report.done({ ...document, document: written }, verb.done),
          failed(error, document) {
            if (!isFailure(error) && !isFault(error, "badEntry") && !isFault(error, "lost")) return false;
            session.out.note(failureIn(error, document, verb));
            code = 1;
            return true;
          },
        });
      }
      report.end();
      for (const warning of await entryWarnings(placed, session)) session.out.warn(warning);
      return code;
    }),
  );
}

/** kubectl's words, which name the file. */
function failureIn(error: unknown, { place }: PlacedDocument, { doing }: FileVerb): string {
  const text = failureText(error);
  const file = place.replace(/:\d+:\d+$/, "");
  return isEntryFailure(error) ? text.replace("): ", `): error when ${doing} "${file}": `) : text;
}

/** A new entry; a dry run only looks whether there is one. @throws Failure when the entry exists */
export async function create(
  { ref, document }: Pick<PlacedDocument, "ref" | "document">,
  { entries, signal, now }: Pick<Session, "entries" | "signal" | "now">,
  { dryRun }: Pick<ReportOptions, "dryRun">,
): Promise<EntryDocument> {
  if (dryRun === "client") return document;
  const next = nextEntry(undefined, document, { at: now(), uid: randomUUID() });
  const isThere =
    dryRun === "none"
      ? !(await entries.put({ ref, document: next.document }, "nothing", signal)).done
      : (await entries.get(ref, signal)) !== undefined;
  if (isThere) throw entryFailure("AlreadyExists", ref);
  return next.document;
}

async function replace(
  { ref, document }: PlacedDocument,
  session: Session,
  { dryRun }: FileOptions,
): Promise<EntryDocument> {
  if (dryRun === "client") return document;
  const read = await session.entries.get(ref, session.signal);
  if (read === undefined) throw entryFailure("NotFound", ref);
  const writing = { ...session, isDryRun: dryRun !== "none" };
  const next = await overwrite(read, (stored) => editedEntry(stored, document), writing);
  return next.document;
}
