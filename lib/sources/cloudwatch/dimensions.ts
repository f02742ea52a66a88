import type { Dimension } from "@aws-sdk/client-cloudwatch";
import { badParameter } from "../parameters";

/** CloudWatch's limit for one metric. */
const limit = 30;

/** In CloudWatch's form. They are sorted, so that equal queries compare as equal. */
export function dimensionsOf(texts: Readonly<Record<string, string>>): Dimension[] {
  const values = Object.entries(texts);
  if (values.length > limit) throw badParameter("dimensions", `at most ${limit} dimensions`, values.length);
  return values.sort(([a], [b]) => (a < b ? -1 : 1)).map(([Name, Value]) => ({ Name, Value }));
}
