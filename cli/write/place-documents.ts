import type { Command } from "commander";
import { present } from "../../lib/k8s/map";
import type { WriteOptions } from "../shell/input/document-options";
import { skippedText } from "./documents/foreign";
import { placeChecked, type Placing } from "./documents/place-checked";
import { checkGiven, type GivenDocument, type Checked } from "./documents/read-given";
import { readNamed } from "../shell/input/read-inputs";
import type { CliEnvironment } from "../shell/environment";
import { failure } from "../shell/failure";
import { globalOptions } from "../shell/global-options";
import type { Session } from "../shell/session";
import { randomInt } from "node:crypto";
import type { GivenRef } from "./documents/check-document";

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

/** Upstream: apimachinery pkg/util/rand and apiserver pkg/storage/names. Without vowels, no word comes about. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

const suffixLength = 5;

const longest = 63 - suffixLength;

/** `create` names the documents that only have a generateName; other verbs need a name. @throws Failure, as kubectl */
function nameDocuments(checked: readonly Checked[], verb: string): readonly Checked[] {
  return checked.map((one) => ("problems" in one || one.ref.name !== "" ? one : named(one, verb)));
}

function named(given: GivenDocument<GivenRef>, verb: string): GivenDocument<GivenRef> {
  const { ref, document, place } = given;
  const metadata = document["metadata"] as { readonly generateName?: string };
  const { generateName = "" } = metadata;
  if (verb === "apply") throw failure(`${place}: from ${generateName}: cannot use generate name with apply`);
  if (verb !== "create") throw failure(`${place}: resource name may not be empty`);
  const name = `${generateName.slice(0, longest)}${suffix()}`;
  return { ...given, ref: { ...ref, name }, document: { ...document, metadata: { ...metadata, name } } };
}

function suffix(): string {
  return Array.from({ length: suffixLength }, () => letters.charAt(randomInt(letters.length))).join("");
}
