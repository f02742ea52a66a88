import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import type { EntryContent, EntryDocument, StoredEntry } from "../../lib/model/ports/entries";
import { applyEntry, type Overtaken, planEntry } from "../../lib/table/apply-entry";
import { editedEntry, nextEntry } from "../../lib/table/next-entry";
import { addWriteOptions, type WriteOptions } from "../shell/input/document-options";
import type { GivenDocument } from "./documents/read-given";
import type { CliEnvironment } from "../shell/environment";
import { entryFailure, failureText, isEntryFailure } from "../shell/failure";
import { runsOf } from "../shell/in-order";
import type { Session } from "../shell/session";
import { tableVerb, type VerbHelp } from "../shell/table-verb";
import { overwrite } from "./overwrite";
import { readPlaced } from "./place-documents";
import { refuseUnusable } from "./refuse-unusable";
import { addReportOptions, openReport, type Report, type ReportOptions } from "./report";
import { openWrites, type Outcome, type Step } from "./write-each";

type Admissible = EntryContent & Pick<GivenDocument, "admit">;

interface FileVerb {
  readonly doing: string;
  readonly write: (given: Admissible, session: Session, options: ReportOptions) => Promise<Outcome>;
  /** kubectl's apply prints a List, and its errors name no file. */
  readonly isApply?: true;
}

const applying: FileVerb = { doing: "applying", write: apply, isApply: true };

/** Keeps annotations that operations set. */
export function applyCommand(environment: CliEnvironment): Command {
  return fileCommand(environment, applying, {
    name: "apply",
    description:
      "Write Clusters, HorizontalPodAutoscalers and MetricSources into the table, or change them to match a file.",
    examples: [
      ["Write the objects of a file", "ebb apply -f hpa.yaml"],
      ["All files of a folder and its subfolders, into one cluster", "ebb apply -R -f deploy/ --cluster prod"],
      ["All HPAs of a namespace in a cluster", "kubectl get hpa -n shop -o yaml | ebb apply -f -"],
      ["See what would be done", "ebb apply -f hpa.yaml --dry-run"],
    ],
  });
}

/** An existing entry is an error. */
export function createCommand(environment: CliEnvironment): Command {
  const write: FileVerb["write"] = async (...given) => ({ document: await create(...given), said: "created" });
  return fileCommand(
    environment,
    { doing: "creating", write },
    {
      name: "create",
      description:
        "Create Clusters, HorizontalPodAutoscalers and MetricSources from files. What exists stays as it is.",
      examples: [
        ["The objects of a file", "ebb create -f hpa.yaml"],
        ["What would be sent", "ebb create -f hpa.yaml --dry-run=client -o yaml"],
      ],
    },
  );
}

/** Replaces annotations that operations set, too. */
export function replaceCommand(environment: CliEnvironment): Command {
  const write: FileVerb["write"] = async (...given) => ({ document: await replace(...given), said: "replaced" });
  return fileCommand(
    environment,
    { doing: "replacing", write },
    {
      name: "replace",
      summary: "Replace objects by what a file says.",
      description:
        "Replace Clusters, HorizontalPodAutoscalers and MetricSources by what files say. Unlike apply, it also ends a pause that the file does not name.",
      examples: [
        ["The objects of a file", "ebb replace -f hpa.yaml"],
        [
          "An HPA with another maximum",
          "ebb get hpa web -o yaml | sed 's/maxReplicas: .*/maxReplicas: 9/' | ebb replace -f -",
        ],
      ],
    },
  );
}

function fileCommand(environment: CliEnvironment, verb: FileVerb, help: VerbHelp): Command {
  return tableVerb<WriteOptions & ReportOptions>(environment, {
    ...help,
    options: (command) => addReportOptions(addWriteOptions(command)),
    async run(session, line) {
      const { options } = line;
      const report = await openReport(session.out, options, verb.isApply);
      const placed = await readPlaced(line, session);
      await refuseUnusable(placed, session);
      return await writeAll(placed, verb, { session, options, report });
    },
  });
}

/** Reports each failure, and continues. @returns the exit code */
export async function applyAll(placed: readonly GivenDocument[], session: Session): Promise<number> {
  const options = { dryRun: "none" } as const;
  return await writeAll(placed, applying, { session, options, report: await openReport(session.out, options) });
}

interface Writing {
  readonly session: Session;
  readonly options: ReportOptions;
  readonly report: Report;
}

async function writeAll(
  placed: readonly GivenDocument[],
  { doing, write, isApply }: FileVerb,
  { session, options, report }: Writing,
): Promise<number> {
  const writes = openWrites(session, report);
  const explain = isApply === true ? undefined : explainer(doing);
  const step = { doing, write: (given: GivenDocument) => write(given, session, options), ...present({ explain }) };
  for (const run of runsOf(placed)) await writes.each(run, step);
  return await writes.end(placed);
}

/** As kubectl, names the file. */
function explainer(doing: string): Step<GivenDocument>["explain"] {
  return (error, { place }) => {
    const text = failureText(error);
    const file = place.replace(/:\d+:\d+$/, "");
    return isEntryFailure(error) ? text.replace("): ", `): error when ${doing} "${file}": `) : text;
  };
}

const refusals: Readonly<Record<Overtaken, Parameters<typeof entryFailure>[0]>> = {
  created: "AlreadyExists",
  deleted: "NotFound",
  changed: "Conflict",
};

/** @throws Failure if somebody else wrote the entry meanwhile */
async function apply(given: Admissible, session: Session, { dryRun }: ReportOptions): Promise<Outcome> {
  const context = { ...session, ...present({ admit: given.admit }) };
  const next = dryRun === "none" ? await applyEntry(given, context) : await planEntry(given, context);
  if ("overtaken" in next) throw entryFailure(refusals[next.overtaken], given.ref);
  return { said: next.change, document: next.document };
}

/** A dry run only looks for the entry. @throws Failure if the entry exists */
export async function create(
  { ref, document, admit }: Admissible,
  { entries, signal, now }: Pick<Session, "entries" | "signal" | "now">,
  { dryRun }: Pick<ReportOptions, "dryRun">,
): Promise<EntryDocument> {
  admit?.(undefined);
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
  { ref, document, admit }: Admissible,
  session: Session,
  { dryRun }: ReportOptions,
): Promise<EntryDocument> {
  if (dryRun === "client") return document;
  const read = await session.entries.get(ref, session.signal);
  if (read === undefined) throw entryFailure("NotFound", ref);
  const writing = { ...session, isDryRun: dryRun !== "none" };
  const change = (stored: StoredEntry) => {
    admit?.(stored);
    return editedEntry(stored, document);
  };
  return (await overwrite(read, change, writing)).document;
}
