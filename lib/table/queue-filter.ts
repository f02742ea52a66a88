import type { QueueRequest } from "../model/ports/queue-reads";
import { toItem } from "./items/attributes";
import type { Projection } from "./reads";

type Filter = Required<Pick<Projection, "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues">>;

/** DynamoDB takes expressions of 4 KB. */
const mostCharacters = 3_900;
/** HPAs rarely have more metrics than this. */
const mostMetrics = 16;

const parameterNames = { "#q": "queue", "#r": "queues", "#p": "queuePrefix" };

/**
 * Lets the service leave out the SOURCE entries that name none of the queues. An entry may have a URL, an ARN or a list
 * of names, so this only looks for the name as a part of it.
 */
export function sourceFilter(queues: readonly string[]): Filter {
  return {
    FilterExpression: `#s.#k = :k AND (${naming("#s.#a", queues).join(" OR ")})`,
    ExpressionAttributeNames: { ...parameterNames, "#s": "spec", "#k": "kind", "#a": "parameters" },
    ExpressionAttributeValues: toItem({ ":k": "sqs", ...numbered(":q", queues) }),
  };
}

/**
 * The same for HPA entries: the labels of a metric name a queue, or the metric has the name of such a SOURCE. An entry
 * with more metrics than the expression has room for is not left out.
 */
export function hpaFilter({ queues, sources }: QueueRequest): Filter {
  const clauses: string[] = [];
  let [metrics, characters] = [0, 0];
  for (; metrics < mostMetrics; metrics++) {
    const metric = `#s.#m[${metrics}].#e.#t`;
    const own = [...naming(`${metric}.#l.#x`, queues), ...namedBy(`${metric}.#n`, sources)].join(" OR ");
    characters += own.length + " OR ".length;
    if (characters > mostCharacters) break;
    clauses.push(own);
  }
  clauses.push(`attribute_exists(#s.#m[${metrics}])`);
  const metricNames = { "#s": "spec", "#m": "metrics", "#e": "external", "#t": "metric", "#l": "selector" };
  const isByName = sources === undefined || sources.length > 0;
  return {
    FilterExpression: clauses.join(" OR "),
    ExpressionAttributeNames: {
      ...parameterNames,
      ...metricNames,
      "#x": "matchLabels",
      ...(isByName && { "#n": "name" }),
    },
    ExpressionAttributeValues: toItem({ ...numbered(":q", queues), ...numbered(":s", sources ?? []) }),
  };
}

/** `path`: of the parameters, or of the labels. A prefix may be that of any queue. */
function naming(path: string, queues: readonly string[]): readonly string[] {
  const names = queues.flatMap((_, at) => [`contains(${path}.#q, :q${at})`, `contains(${path}.#r, :q${at})`]);
  return [...names, `attribute_exists(${path}.#p)`];
}

function namedBy(path: string, sources: readonly string[] | undefined): readonly string[] {
  if (sources === undefined) return [`attribute_exists(${path})`];
  return sources.length === 0 ? [] : [`${path} IN (${sources.map((_, at) => `:s${at}`).join(", ")})`];
}

function numbered(place: string, values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, at) => [`${place}${at}`, value]));
}
