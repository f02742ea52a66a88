import type { MetricSources, SourceReading, ReadContext } from "../../../lib/model/ports/sources";
import type { Advice } from "../../../lib/model/advice";
import { descriptionOf } from "../../../lib/sources/descriptions";
import { isFault } from "../../../lib/model/fault";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { ShardContents } from "../../../lib/model/ports/store";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import type { Written } from "../../shell/advice/entries";
import { advice } from "../../shell/advice/table";
import { toKnow } from "./connection-advice";
import { type Finding, fail, ok, skipped } from "./finding";
import type { RequiredSource } from "../../../lib/read/required-permissions";
import { readSource } from "../../../lib/readings/read-operands";
import { shareSources } from "../../../lib/readings/read-sources";

interface CheckContext extends ReadContext, Pick<QueryOrigin, "regions"> {
  readonly writtenIn: WrittenIn;
  readonly entry: ClusterEntry;
}

export async function checkSources(
  sources: MetricSources,
  required: readonly RequiredSource[],
  { regions, writtenIn, entry, ...context }: CheckContext,
): Promise<readonly Finding[]> {
  const reads = shareSources(sources, {}, { ...context, slot: context.now });
  const read = async ({ source, metricName, parameters, operands }: RequiredSource): Promise<SourceReading> => {
    const found = { kind: "source", source, parameters, ...(operands !== undefined && { operands }) } as const;
    return (await readSource(reads, found, { metricName })).response;
  };
  const kinds = [...new Set(required.map(({ source }) => source))];
  const findings = kinds.map(async (kind) => {
    const queries = required.filter(({ source }) => source === kind);
    const cluster = context.cluster.name;
    if (!Object.hasOwn(sources, kind)) {
      return queries.map((query) => {
        const todo = advice.knownKinds({ cluster, name: query.metricName, kinds: Object.keys(sources) });
        return fail(`reads ${nameOf(query)}`, `there is no kind of source named ${kind}`, todo);
      });
    }
    const responses = await Promise.all(queries.map((query) => read(query)));
    const requester = (query: RequiredSource) => ({ cluster, regions, written: writtenIn(query.metricName) });
    return Promise.all(
      queries.map(async (query, index): Promise<Finding> => {
        const response = responses[index] ?? { error: "no response" };
        if ("error" in response) {
          const lack = (await lacksRegion(kind, query, regions)) ? "region" : response.lack;
          if (lack !== undefined) return skipped(`reads ${nameOf(query)}`, response.error, toKnow(lack, entry));
          return fail(`reads ${nameOf(query)}`, response.error, await adviceFor(kind, query, requester(query)));
        }
        const values = response.items.map(({ value }) => String(value)).join(", ");
        return values === ""
          ? fail(`reads ${nameOf(query)}`, "the answer has no value", await adviceFor(kind, query, requester(query)))
          : ok(`reads ${nameOf(query)}: ${values}`);
      }),
    );
  });
  return (await Promise.all(findings)).flat();
}

/** The AWS region of queries that name none. Rejects if this machine has none. */
export type Regions = () => Promise<string>;

interface QueryOrigin {
  readonly cluster: string;
  readonly regions: Regions;
  readonly written: Written;
}

export type WrittenIn = (metricName: string) => Written;

export async function adviceFor(
  kind: string,
  query: NamedQuery,
  { cluster, regions, written }: QueryOrigin,
): Promise<Advice> {
  if (regionOf(kind, query) === "unreadable") return advice.fixParameters(written);
  if (await lacksRegion(kind, query, regions)) return advice.nameRegion();
  return descriptionOf(kind)?.advice?.({ ...query, cluster }) ?? advice.fixParameters(written);
}

/** The functions have a region, which this machine may lack. */
async function lacksRegion(kind: string, query: NamedQuery, regions: Regions): Promise<boolean> {
  if (regionOf(kind, query) !== "caller's") return false;
  return await regions().then(
    () => false,
    () => true,
  );
}

/** "unreadable": its parameters are wrong. */
function regionOf(kind: string, { metricName, parameters }: NamedQuery): "own" | "caller's" | "none" | "unreadable" {
  const known = descriptionOf(kind);
  if (known === undefined) return "none";
  try {
    const { region, address } = known.parse({ metricName, parameters }) as Located;
    if (region !== undefined || address?.region !== undefined) return "own";
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    return "unreadable";
  }
  // Only AWS kinds have this parameter.
  return Object.hasOwn(known.fields, "region") ? "caller's" : "none";
}

/** The HPA whose labels are parameters, and the entry with the others. */
export function writtenIn(metricName: string, { cluster, hpas, sources }: Entries): Written {
  const hpa = hpas.find(({ spec }) => spec.metrics?.some(({ external }) => external?.metric.name === metricName));
  const { namespace = "default", name = "" } = hpa?.metadata ?? {};
  const isEntry = sources.some(({ key }) => key === metricName);
  return {
    ...(hpa === undefined ? {} : { hpa: { cluster, namespace, name } }),
    ...(isEntry ? { source: { cluster, name: metricName } } : {}),
  };
}

interface Entries extends Pick<ShardContents, "sources"> {
  readonly cluster: string;
  readonly hpas: readonly HorizontalPodAutoscaler[];
}

type NamedQuery = Pick<RequiredSource, "metricName" | "parameters">;

interface Located {
  readonly region?: string;
  readonly address?: { readonly region?: string };
}

function nameOf({ metricName, parameters }: RequiredSource): string {
  const given = Object.entries(parameters).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${metricName}(${given.join(",")})`;
}
