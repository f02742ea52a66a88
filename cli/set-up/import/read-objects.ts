import type { Readable } from "node:stream";
import { readDocuments } from "../../shell/input/read-documents";
import { readInputs } from "../../shell/input/read-inputs";
import { failure } from "../../shell/failure";
import { isMap } from "../../../lib/k8s/map";

export interface GivenObject {
  readonly place: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** @throws Failure with the place of a document that is no object */
export async function readObjects(
  files: readonly string[],
  { stdin, expected }: { readonly stdin: Readable; readonly expected: string },
): Promise<readonly GivenObject[]> {
  const inputs = await readInputs(files, { stdin });
  const read = inputs.flatMap(({ name, text }) => readDocuments(text).map((document) => ({ name, document })));
  return read.map(({ name, document }) => {
    const place = `${name}:${document.line}:${document.column}`;
    if ("error" in document) throw failure(`${place}: ${document.error}`);
    if (!isMap(document.value)) throw failure(`${place}: expected ${expected} object`);
    return { place, object: document.value };
  });
}
