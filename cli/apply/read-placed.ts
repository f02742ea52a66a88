import type { Command } from "commander";
import type { DocumentOptions } from "../documents/document-options";
import { readGiven } from "../documents/read-given";
import { readInputs } from "../documents/read-inputs";
import { failure } from "../failure";
import { globalOptions } from "../global-options";
import type { Session } from "../session";
import type { Surroundings } from "../surroundings";
import { type PlacedDocument, placeDocuments } from "./place-documents";

interface Reading extends Pick<Surroundings, "stdin"> {
  readonly options: DocumentOptions;
  readonly command: Command;
}

/** All documents that a command line names, each valid and with the entry that it is to become. @throws Failure when one is not, or none is there. */
export async function readPlaced(
  { options, command, stdin }: Reading,
  session: Pick<Session, "settings" | "entries" | "signal">,
): Promise<readonly PlacedDocument[]> {
  const inputs = await readInputs(options.filename, { ...options, stdin });
  const { namespace } = session.settings;
  const given = readGiven(inputs, { namespace, enforceNamespace: globalOptions(command).namespace !== undefined });
  if (given.length === 0) throw failure(`no objects passed to ${command.name()}`);
  return await placeDocuments(given, session);
}
