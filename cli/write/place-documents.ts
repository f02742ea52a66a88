import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import type { GivenRef } from "./documents/check-document";
import type { WriteOptions } from "../shell/input/document-options";
import { skippedText } from "./documents/foreign";
import { type GivenDocument, readGiven } from "./documents/read-given";
import { readNamed } from "../shell/input/read-inputs";
import type { CliEnvironment } from "../shell/environment";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import type { Session } from "../shell/session";

type Placing = Pick<Session, "settings" | "entries" | "signal">;

/**
 * Finds each document's cluster: the one it names, else the command's, else the only one in the table or among the
 * documents.
 * @throws Failure when there are several, or none
 */
export async function placeDocuments(
  given: readonly GivenDocument<GivenRef>[],
  session: Placing,
): Promise<readonly GivenDocument[]> {
  const fallback = given.some(({ ref }) => ref.cluster === undefined) ? await onlyCluster(given, session) : "";
  return given.map((document) => ({ ...document, ref: { cluster: fallback, ...document.ref } }));
}

async function onlyCluster(
  given: readonly GivenDocument<GivenRef>[],
  { settings, entries, signal }: Placing,
): Promise<string> {
  if (settings.cluster !== undefined) return settings.cluster;
  const stored = await entries.list("Cluster", {}, signal);
  const clusters = [...stored, ...given.filter(({ ref }) => ref.kind === "Cluster")];
  const names = [...new Set(clusters.map(({ ref }) => ref.name))];
  const [only, ...others] = names;
  if (only === undefined) throw failure("the table has no cluster yet: apply one first, or together with these files");
  if (others.length === 0) return only;
  throw failure(`there are ${names.length} clusters (${names.sort().join(", ")}): choose one with --cluster`);
}

interface Named extends Pick<CliEnvironment, "stdin"> {
  readonly options: WriteOptions;
  readonly command: Command;
}

/** All documents of a command line, each with its entry. @throws Failure when one is invalid, or there are none */
export async function readPlaced(
  { options, command, stdin }: Named,
  session: Placing & Pick<Session, "out">,
): Promise<readonly GivenDocument[]> {
  const inputs = await readNamed(options, { ...options, stdin });
  const { namespace } = session.settings;
  const enforceNamespace = globalOptions(command).namespace !== undefined;
  const { importKeda } = options;
  const reading = { namespace, enforceNamespace, ...present({ importKeda }) };
  const { documents, skipped, notes } = readGiven(inputs, reading);
  for (const note of notes) session.out.warn(note);
  if (skipped.length > 0) session.out.note(skippedText(skipped));
  if (documents.length === 0) throw failure(`no objects passed to ${command.name()}`);
  return await placeDocuments(documents, session);
}
