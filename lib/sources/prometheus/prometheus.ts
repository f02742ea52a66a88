import { once } from "../../async/shared";

import { Fault, isFault, rephrased } from "../../model/fault";
import type { ServiceAnswer } from "../../model/ports/cluster";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { asReading } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { openWebClient, originOf, queryText } from "../network/web-client";
import { quantityOf } from "../quantity-of";
import { errorIn, numberIn } from "./answer";
import { parsePrometheusQuery, type PrometheusQuery } from "./prometheus-query";

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
            if (parsed.absent !== undefined) return [{ value: quantityOf(parsed.absent), labels: {} }];
            throw new Fault(
              "badAnswer",
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
    return numberIn(body);
  } catch (error) {
    throw isFault(error) ? rephrased(error, `${descriptionOf(query)}: ${error.message}`) : error;
  }
}
