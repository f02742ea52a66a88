import type { Command } from "commander";
import type { EntryRef } from "../../lib/model/ports/entries";
import type { GivenDocument } from "./documents/check-source";
import type { WriteOptions } from "./documents/document-options";
import { skippedText } from "./documents/foreign";
import { readGiven } from "./documents/read-given";
import { readNamed } from "./documents/read-inputs";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import type { Session } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";

/** A document and the entry that it becomes. */
export interface PlacedDocument extends GivenDocument {
  readonly ref: EntryRef;
}

/**
 * Finds each document's cluster: the one it names, else the command's, else the only one in the table or among the
 * documents.
 * @throws Failure when there are several, or none
 */
export async function placeDocuments(
  given: readonly GivenDocument[],
  session: Pick<Session, "settings" | "entries" | "signal">,
): Promise<readonly PlacedDocument[]> {
  const lacksCluster = ({ kind, cluster }: GivenDocument) => kind !== "Cluster" && cluster === undefined;
  const fallback = given.some(lacksCluster) ? await onlyCluster(given, session) : "";
  return given.map((document) => {
    const { kind, name, namespace, cluster = fallback } = document;
    const where = { name, ...(namespace === undefined ? {} : { namespace }) };
    return { ...document, ref: { kind, cluster: kind === "Cluster" ? name : cluster, ...where } };
  });
}

async function onlyCluster(
  given: readonly GivenDocument[],
  { settings, entries, signal }: Pick<Session, "settings" | "entries" | "signal">,
): Promise<string> {
  if (settings.cluster !== undefined) return settings.cluster;
  const stored = (await entries.list("Cluster", {}, signal)).map(({ ref }) => ref.name);
  const names = [...new Set([...stored, ...given.filter(({ kind }) => kind === "Cluster").map(({ name }) => name)])];
  const [only, ...others] = names;
  if (only === undefined) throw failure("the table has no cluster yet: apply one first, or together with these files");
  if (others.length === 0) return only;
  throw failure(`there are ${names.length} clusters (${names.sort().join(", ")}): choose one with --cluster`);
}

interface Reading extends Pick<CliEnvironment, "stdin"> {
  readonly options: WriteOptions;
  readonly command: Command;
}

/** All documents of a command line, each with its entry. @throws Failure when one is invalid, or there are none */
export async function readPlaced(
  { options, command, stdin }: Reading,
  session: Pick<Session, "settings" | "entries" | "signal" | "out">,
): Promise<readonly PlacedDocument[]> {
  const inputs = await readNamed(options, { ...options, stdin });
  const { namespace } = session.settings;
  const enforceNamespace = globalOptions(command).namespace !== undefined;
  const { importKeda = false } = options;
  const { documents, skipped, notes } = readGiven(inputs, { namespace, enforceNamespace, importKeda });
  for (const note of notes) session.out.warn(note);
  if (skipped.length > 0) session.out.note(skippedText(skipped));
  if (documents.length === 0) throw failure(`no objects passed to ${command.name()}`);
  return await placeDocuments(documents, session);
}
