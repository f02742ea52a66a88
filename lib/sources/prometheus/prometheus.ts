import { once } from "../../async/shared";
import { isFault, rephrased } from "../../model/fault";
import type { ServiceAnswer } from "../../model/ports/cluster";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { badAnswer, asReading, type FoundValue, textIn } from "../network/as-reading";
import { foreignWords } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { openWebClient, originOf, queryText } from "../network/web-client";
import { decimalOf, quantityOf } from "../parameters";
import { parsePrometheusQuery, type PrometheusQuery } from "./prometheus-query";
import { isMap, parseMap } from "../../k8s/map";
import { shown } from "../../model/check/problem";

/** Equal queries of a run share one request. */
export function openPrometheusSource(network: SourceNetwork): MetricSource {
  const fetch = openWebClient(network);

  function request(
    context: ReadContext,
    parsed: PrometheusQuery,
    failureKey: string,
    priority: number | undefined,
  ): Promise<ServiceAnswer> {
    const { server, query, queryParameters, headers } = parsed;
    const all = { Accept: "application/json", "Accept-Encoding": "gzip", "User-Agent": "ebb", ...headers };
    const path = `/api/v1/query?${queryText({ query, ...queryParameters })}`;
    return fetch(context, server, {
      method: "GET",
      path,
      headers: all,
      description: descriptionOf(parsed),
      failureKey,
      priority,
      errorIn,
    });
  }

  return {
    keepMs: () => 0,
    open(context) {
      const answers = once<ServiceAnswer>();
      return {
        read: (query) =>
          asReading("prometheus", query, context, async () => {
            const parsed = parsePrometheusQuery(query, network.addresses);
            const key = JSON.stringify([parsed.server, parsed.query, parsed.queryParameters, parsed.headers]);
            const answer = await answers(key, () => request(context, parsed, key, query.priority));
            const found = valueIn(parsed, answer);
            if (found.length > 0) return found;
            if (parsed.absent !== undefined)
              return [{ value: quantityOf(parsed.absent), labels: warningLabel(parseMap(textIn(answer.body)) ?? {}) }];
            throw badAnswer(
              `${descriptionOf(parsed)}: the query finds no number (no series, NaN or infinity); set absent if that means one`,
            );
          }),
      };
    },
  };
}

function descriptionOf({ server }: PrometheusQuery): string {
  return originOf(server.endpoint);
}

function valueIn(query: PrometheusQuery, { body }: ServiceAnswer) {
  try {
    return numberIn(body, query);
  } catch (error) {
    throw isFault(error) ? rephrased(error, `${descriptionOf(query)}: ${error.message}`) : error;
  }
}

/**
 * Empty: no series, NaN or infinity.
 * @throws Fault "badAnswer" for anything but one number.
 * https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
 */
function numberIn(body: Buffer, { allowPartial }: Pick<PrometheusQuery, "allowPartial">): readonly FoundValue[] {
  const answer = parseMap(textIn(body)) ?? {};
  const { status, data } = answer;
  if (status !== "success" || !isMap(data))
    throw badAnswer(`expected the answer to a query, got ${body.length === 0 ? "an empty answer" : "something else"}`);
  const missing = allowPartial ? undefined : missingPart(answer);
  if (missing !== undefined)
    throw badAnswer(`the answer is partial (${missing}); set allowPartial if it counts all the same`);
  const { resultType, result } = data;
  if (resultType === "scalar") return valueOf(result, warningLabel(answer));
  if (resultType !== "vector" || !Array.isArray(result))
    throw badAnswer(`expected a vector or a scalar, got ${shown(resultType)}`);
  if (result.length > 1)
    throw badAnswer(`expected one series, got ${result.length}; wrap the query in sum(), max() or avg()`);
  const [series] = result as readonly unknown[];
  if (series === undefined) return [];
  if (!isMap(series)) throw badAnswer(`expected a series, got ${shown(series)}`);
  if (series["value"] === undefined && series["histogram"] !== undefined)
    throw badAnswer("expected a number, got a native histogram; wrap the query in histogram_count() or its like");
  const metric = Object.entries(isMap(series["metric"]) ? series["metric"] : {});
  const labels = metric.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return valueOf(series["value"], { ...Object.fromEntries(labels), ...warningLabel(answer) });
}

/**
 * Thanos and Mimir warn about a store that did not answer, VictoriaMetrics says isPartial. A "PromQL warning: …" is
 * about the query; its answer is whole.
 */
function missingPart({ isPartial = false, warnings }: Readonly<Record<string, unknown>>): string | undefined {
  const about = wordsOf(warnings).filter((text) => !text.startsWith("PromQL "));
  if (about.length > 0) return foreignWords(about.join("; "));
  return isPartial === false || isPartial === null ? undefined : "isPartial";
}

/** Servers that are no Prometheus may write one text, or anything else. */
function wordsOf(warnings: unknown): readonly string[] {
  if (warnings === undefined || warnings === null || warnings === "") return [];
  const all: readonly unknown[] = Array.isArray(warnings) ? warnings : [warnings];
  return all.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
}

function warningLabel({ warnings }: Readonly<Record<string, unknown>>): FoundValue["labels"] {
  const words = wordsOf(warnings);
  return words.length > 0 ? { warnings: foreignWords(words.join("; ")) } : {};
}

function valueOf(sample: unknown, labels: FoundValue["labels"]): readonly FoundValue[] {
  const value: unknown = Array.isArray(sample) ? sample[1] : undefined;
  if (typeof value !== "string" || value === "") throw badAnswer(`expected a sample, got ${shown(sample)}`);
  if (/^([+-]?Inf|NaN)$/.test(value)) return [];
  const number = decimalOf(value);
  if (number === undefined || !Number.isFinite(number)) throw badAnswer(`expected a number, got ${shown(value)}`);
  return [{ value: quantityOf(number), labels }];
}

function errorIn(body: Buffer): string | undefined {
  const { error } = parseMap(textIn(body)) ?? {};
  return typeof error === "string" ? error : undefined;
}
