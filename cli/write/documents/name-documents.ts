import { randomInt } from "node:crypto";
import { failure } from "../../shell/failure";
import type { Checked, GivenDocument } from "./read-given";
import type { GivenRef } from "./check-document";

/** Upstream: apimachinery pkg/util/rand and apiserver pkg/storage/names. Without vowels, no word comes about. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longest = 63 - suffixLength;

/** Only `create` accepts a generateName without a name. @throws Failure */
export function nameDocuments(checked: readonly Checked[], verb: string): readonly Checked[] {
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
