import { failure } from "../failure";
import { checkSource, type GivenDocument, type Reading } from "./check-source";
import { readDocuments } from "./read-documents";
import type { Input } from "./read-inputs";

/**
 * All documents of the inputs.
 *
 * @throws Failure with a line for each problem, when there is any: what is given is used whole or not at all.
 */
export function readGiven(inputs: readonly Input[], reading: Omit<Reading, "input">): readonly GivenDocument[] {
  const checked = inputs.flatMap(({ name, text }) =>
    readDocuments(text).map((source) => checkSource(source, { ...reading, input: name })),
  );
  const problems = checked.flatMap((document) => ("problems" in document ? document.problems : []));
  if (problems.length > 0) throw failure(problems.join("\n"));
  return checked.flatMap((document) => ("problems" in document ? [] : [document]));
}
