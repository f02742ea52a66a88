import { once } from "../../async/shared";
import { isFault, rephrased } from "../../model/fault";
import type { ServiceAnswer } from "../../model/ports/cluster";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { badAnswer, asReading, type FoundValue, jsonIn } from "../network/as-reading";
import { foreignWords } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { openWebClient, originOf } from "../network/web-client";
import { quantityOf } from "../parameters";
import { type HttpQuery, parseHttpQuery, samplesIn } from "./http-query";
import { numbersAt } from "./json-path";

/** Queries of one document share its request. */
export function openHttpSource(network: SourceNetwork): MetricSource {
  const fetch = openWebClient(network);

  return {
    keepMs: () => 0,
    open(context) {
      const documents = once<ServiceAnswer>();
      return {
        read: (query) =>
          asReading("http", query, context, async () => {
            const parsed = parseHttpQuery(query, network.addresses);
            const { server, path, headers } = parsed;
            const key = JSON.stringify([server, path, headers]);
            const answer = await documents(key, () =>
              request(context, parsed, { failureKey: key, priority: query.priority }),
            );
            const found = pick(parsed, answer);
            if (found.length > 0) return found;
            if (parsed.absent === undefined) throw badAnswer(`${descriptionOf(parsed)}: ${missing(parsed)}`);
            return [{ value: quantityOf(parsed.absent), labels: {} }];
          }),
      };
    },
  };

  function request(
    context: ReadContext,
    query: HttpQuery,
    { failureKey, priority }: { readonly failureKey: string; readonly priority: number | undefined },
  ) {
    const { server, path } = query;
    const accept = "json" in query.pick ? "application/json" : "text/plain";
    const headers = { Accept: accept, "Accept-Encoding": "gzip", "User-Agent": "ebb", ...query.headers };
    return fetch(context, server, {
      method: "GET",
      path,
      headers,
      description: descriptionOf(query),
      failureKey,
      priority,
    });
  }
}

/** Without the query, where people sometimes put a key. */
function descriptionOf({ server, path }: HttpQuery): string {
  return `${originOf(server.endpoint)}${path.replace(/\?.*$/s, "")}`;
}

function missing({ pick }: HttpQuery): string {
  const what = "json" in pick ? `nothing at ${pick.json.text}` : `no sample of ${pick.sample.name} with these labels`;
  return `the answer has ${what}; set absent if that means a number`;
}

/** Storage and small servers give a file's bytes without a type of their own. */
const jsonTypes = /^(|text\/(plain|json|x-json)|(application|binary)\/octet-stream|application\/(.+\+)?json)$/;
const textTypes = /^(|text\/plain|(application|binary)\/octet-stream|application\/openmetrics-text)$/;

function pick(query: HttpQuery, { headers, body }: ServiceAnswer): readonly FoundValue[] {
  const { pick } = query;
  const [type = ""] = String(headers["content-type"] ?? "").split(";");
  try {
    if (!("json" in pick ? jsonTypes : textTypes).test(type.trim().toLowerCase()))
      throw badAnswer(
        `expected ${"json" in pick ? "JSON" : "Prometheus text"}, got ${foreignWords(type.slice(0, 80))}`,
      );
    return "json" in pick ? numbersAt(pick.json, jsonIn(body)) : samplesIn(body, pick.sample);
  } catch (error) {
    throw isFault(error) ? rephrased(error, `${descriptionOf(query)}: ${error.message}`) : error;
  }
}
