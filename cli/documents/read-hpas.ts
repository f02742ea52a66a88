import { readFile } from "node:fs/promises";
import type { HorizontalPodAutoscaler } from "../../lib/api/hpa";
import { validateHpa } from "../../lib/api/validate-hpa";
import { invalidMessage } from "./invalid-message";
import { readDocuments } from "./read-documents";

/** The autoscalers of some files, defaulted. @throws Error with file, line and field of the first that is no valid one. */
export async function readHpas(files: readonly string[]): Promise<readonly HorizontalPodAutoscaler[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return texts.flatMap((text, index) =>
    readDocuments(text).map((document) => {
      const place = `${files[index]}:${document.line}`;
      if ("error" in document) throw new Error(`${place}: ${document.error}`);
      const { errors, hpa } = validateHpa(document.value);
      if (hpa === undefined) throw new Error(`${place}: ${invalidMessage(document.value, errors).trimEnd()}`);
      return hpa;
    }),
  );
}
