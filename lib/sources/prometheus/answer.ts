import { isMap, parseMap } from "../../k8s/map";
import { Fault } from "../../model/fault";
import { shown } from "../../model/check/problem";
import type { FoundValue } from "../network/as-reading";
import { quantityOf } from "../quantity-of";

const longestWarning = 300;

/**
 * Empty: no series, NaN or infinity.
 * @throws Fault "badAnswer" for anything but one number.
 * https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 */
export function numberIn(body: Buffer): readonly FoundValue[] {
  const { status, data, warnings } = parseMap(body.toString("utf8")) ?? {};
  if (status !== "success" || !isMap(data))
    throw new Fault(
      "badAnswer",
      `expected the answer to a query, got ${body.length === 0 ? "an empty answer" : "something else"}`,
    );
  const { resultType, result } = data;
  if (resultType === "scalar") return valueOf(result, {}, warnings);
  if (resultType !== "vector" || !Array.isArray(result))
    throw new Fault("badAnswer", `expected a vector or a scalar, got ${shown(resultType)}`);
  if (result.length > 1)
    throw new Fault("badAnswer", `expected one series, got ${result.length}; wrap the query in sum(), max() or avg()`);
  const [series] = result as readonly unknown[];
  if (series === undefined) return [];
  if (!isMap(series)) throw new Fault("badAnswer", `expected a series, got ${shown(series)}`);
  return valueOf(series["value"], isMap(series["metric"]) ? series["metric"] : {}, warnings);
}

/** `[<seconds>, "<number>"]` */
function valueOf(sample: unknown, metric: Readonly<Record<string, unknown>>, warnings: unknown): readonly FoundValue[] {
  const value: unknown = Array.isArray(sample) ? sample[1] : undefined;
  if (typeof value !== "string" || value === "")
    throw new Fault("badAnswer", `expected a sample, got ${shown(sample)}`);
  const number = Number(value.replace("Inf", "Infinity"));
  if (!Number.isFinite(number)) {
    if (/^([+-]?Inf|NaN)$/.test(value)) return [];
    throw new Fault("badAnswer", `expected a number, got ${shown(value)}`);
  }
  const labels = Object.entries(metric).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const all =
    Array.isArray(warnings) && warnings.length > 0
      ? { warnings: warnings.map(String).join("; ").slice(0, longestWarning) }
      : {};
  return [{ value: quantityOf(number), labels: { ...Object.fromEntries(labels), ...all } }];
}

/** Such as a parse error. */
export function errorIn(body: Buffer): string | undefined {
  const { error } = parseMap(body.toString("utf8")) ?? {};
  return typeof error === "string" ? error : undefined;
}
