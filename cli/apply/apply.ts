import { Command, Option } from "commander";
import { isFault } from "../../lib/model/fault";
import { applyEntry, type Overtaken, planEntry } from "../../lib/table/apply-entry";
import type { NextEntry } from "../../lib/table/next-entry";
import type { PlacedDocument } from "./place-documents";
import { readPlaced } from "./place-documents";
import { refuseUnusable } from "./refuse-unusable";
import { applyWarnings } from "./warnings";
import {
  addWriteOptions,
  type WriteOptions,
  type DryRun,
  dryRunOption,
  dryRunSuffix,
} from "../documents/document-options";
import {
  formatObjects,
  type ObjectFormat,
  objectFormats,
  objectName,
  type PrintedObject,
} from "../documents/format-objects";
import { examples } from "../help";
import { entryFailure, failureText, isFailure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { type Session, withSession } from "../session";
import type { Surroundings } from "../surroundings";

interface ApplyOptions extends WriteOptions {
  readonly dryRun: DryRun;
  readonly output?: ObjectFormat;
}

/** `ebb apply -f`: writes documents of all kinds into the table. */
export function applyCommand(surroundings: Surroundings): Command {
  const command = new Command("apply")
    .description(
      "Write Clusters, HorizontalPodAutoscalers and MetricSources into the table, or change them to match a file.",
    )
    .addOption(dryRunOption())
    .addOption(new Option("-o, --output <format>", "print the objects as they are written").choices(objectFormats))
    .addHelpText(
      "after",
      examples([
        ["Write the objects of a file", "ebb apply -f hpa.yaml"],
        ["All files of a folder and its subfolders, into one cluster", "ebb apply -R -f deploy/ --cluster prod"],
        ["All HPAs of a namespace in a cluster", "kubectl get hpa -n shop -o yaml | ebb apply -f -"],
        ["See what would be done", "ebb apply -f hpa.yaml --dry-run"],
      ]),
    );
  return addGlobalOptions(addWriteOptions(command)).action((options: ApplyOptions, self: Command) =>
    withSession(surroundings, self, async (session) => {
      const placed = await readPlaced({ options, command: self, stdin: surroundings.stdin }, session);
      await refuseUnusable(placed, session);
      return await applyAll(placed, options, session);
    }),
  );
}

/** Applies documents one by one. Reports each failure, and continues. Returns the exit code. */
export async function applyAll(
  placed: readonly PlacedDocument[],
  options: Pick<ApplyOptions, "dryRun" | "output">,
  session: Session,
): Promise<number> {
  const { out } = session;
  const written: PrintedObject[] = [];
  const change = options.dryRun === "none" ? applied : planEntry;
  for (const document of placed) {
    const name = objectName(document);
    try {
      const next = await out.during(`applying ${name}`, change(document, session));
      written.push({ ...document, document: next.document });
      if (options.output === undefined) out.print(`${name} ${next.change}${dryRunSuffix[options.dryRun]}`);
    } catch (error) {
      if (!isOfOneEntry(error)) throw error;
      out.note(failureText(error));
    }
  }
  if (options.output !== undefined && written.length > 0) out.write(formatObjects(written, options.output));
  for (const warning of await applyWarnings(placed, session)) out.warn(warning);
  return written.length === placed.length ? 0 : 1;
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
