import { describeMeta } from "../../lib/api/printing/describe-meta";
import { describeLines } from "./describe-lines";

/** An entry that is no usable HPA: its place, and every reason why. */
export function describeInvalid(
  place: { readonly namespace: string; readonly name: string },
  errors: readonly string[],
): string {
  const [first = "", ...rest] = errors;
  const head = describeMeta(place).filter((line) => /^Name(space)?:/.test(line));
  const lines = [...head, `Invalid:\t${first}`, ...rest.map((error) => `\t${error}`)];
  return describeLines(lines);
}
