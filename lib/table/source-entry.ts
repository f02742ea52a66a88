import type { SourceEntry } from "../api/entries";
import { validateSource } from "../api/validate-source";
import { fromItem, type Item } from "./attributes";
import { filledText } from "./checks";
import type { Entry } from "./entry";
import { sourcePrefix } from "./schema";

/** The SOURCE# item that a user wrote. Which kinds and parameters there are is the metric sources' to say. */
export function decodeSource(item: Item): Entry<SourceEntry> {
  const { sk, spec } = fromItem(item);
  const name = String(sk).slice(sourcePrefix.length);
  const invalid = filledText(name, "sk, the name after SOURCE#") ?? validateSource(spec)[0];
  return invalid === undefined
    ? { key: name, value: { name, spec: spec as SourceEntry["spec"] } }
    : { key: name, invalid };
}
