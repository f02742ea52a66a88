import { problemText, unexpected } from "../../model/check/problem";
import type { Unreadable } from "./decoded-item";

/**
 * The version of the form of STATE and SHARD items, in their attribute `format`. An item without it has form 1. The
 * number grows when an older version of ebb would decide wrongly from a new item. An added member alone does not need
 * that: older versions keep members that they do not know. docs/decisions/0026-state-format.md
 */
export const itemFormat = 1;

/** Why this version must not decide from an item of this format; undefined: it may. */
export function unknownFormat(format: unknown): Unreadable | undefined {
  if (format === undefined) return undefined;
  const isWhole = typeof format === "number" && Number.isInteger(format) && format >= 1;
  if (isWhole && format <= itemFormat) return undefined;
  if (!isWhole) return { broken: problemText(unexpected(["format"], "a whole number, 1 or more", format)) };
  const problem = problemText(unexpected(["format"], `at most ${itemFormat}`, format));
  return { broken: `${problem}: a newer version of ebb wrote the item; deploy that version again`, isNewer: true };
}
