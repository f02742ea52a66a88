import type { Dimension } from "@aws-sdk/client-cloudwatch";
import { badParameter } from "../parameters";

/** CloudWatch's limit for one metric. */
const limit = 30;

type Texts = Readonly<Record<string, string>>;

/** Dimensions, later ones over earlier ones. They are sorted, so that equal queries compare as equal. */
export function dimensionsOf(...given: readonly (Texts | undefined)[]): readonly Dimension[] {
  const values = new Map(given.flatMap((texts = {}) => Object.entries(texts)));
  if (values.size > limit) throw badParameter("dimensions", `at most ${limit} dimensions`, values.size);
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([Name, Value]) => ({ Name, Value }));
}
