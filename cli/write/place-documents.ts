import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import type { WriteOptions } from "../shell/input/document-options";
import { skippedText } from "./documents/foreign";
import { nameDocuments } from "./documents/name-documents";
import { placeChecked, type Placing } from "./documents/place-checked";
import { checkGiven, type GivenDocument } from "./documents/read-given";
import { readNamed } from "../shell/input/read-inputs";
import type { CliEnvironment } from "../shell/environment";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import type { Session } from "../shell/session";

interface Named extends Pick<CliEnvironment, "stdin"> {
  readonly options: WriteOptions;
  readonly command: Command;
}

/** @throws Failure for an invalid document, or none */
export async function readPlaced(
  { options, command, stdin }: Named,
  session: Placing & Pick<Session, "out">,
): Promise<readonly GivenDocument[]> {
  const inputs = await readNamed(options, { ...options, stdin });
  const { namespace } = session.settings;
  const enforceNamespace = globalOptions(command).namespace !== undefined;
  const { importKeda } = options;
  const reading = { namespace, enforceNamespace, ...present({ importKeda }) };
  const { checked, skipped, notes } = checkGiven(inputs, reading);
  const documents = await placeChecked(nameDocuments(checked, command.name()), session);
  for (const note of notes) session.out.warn(note);
  if (skipped.length > 0) session.out.note(skippedText(skipped));
  if (documents.length === 0) throw failure(`no objects passed to ${command.name()}`);
  return documents;
}
