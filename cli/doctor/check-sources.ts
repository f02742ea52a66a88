import type { MetricSources, SourceReading, SourceTurn } from "../../lib/model/ports/sources";
import { descriptionOf } from "../../lib/sources/descriptions";
import { isFault } from "../../lib/model/fault";
import { type Finding, fail, ok } from "./finding";
import type { SourceNeed } from "../../lib/read/needs";
import { readSource } from "../../lib/sync/observe/read-operands";
import { shareSources } from "../../lib/sync/observe/read-sources";

/** Reads every distinct query once, as a sync does. */
export async function checkSources(
  sources: MetricSources,
  needs: readonly SourceNeed[],
  { regions, ...turn }: SourceTurn & { readonly regions: Regions },
): Promise<readonly Finding[]> {
  const reads = shareSources(sources, {}, { ...turn, slot: turn.now });
  const read = async ({ source, metricName, parameters, operands }: SourceNeed): Promise<SourceReading> => {
    const found = { kind: "source", source, parameters, ...(operands !== undefined && { operands }) } as const;
    return (await readSource(reads, found, { metricName })).response;
  };
  const kinds = [...new Set(needs.map(({ source }) => source))];
  const findings = kinds.map(async (kind) => {
    const queries = needs.filter(({ source }) => source === kind);
    if (!Object.hasOwn(sources, kind)) {
      const todo = `set spec.kind to one of ${Object.keys(sources).join(", ")}`;
      return queries.map((query) => fail(`reads ${nameOf(query)}`, `there is no kind of source named ${kind}`, todo));
    }
    const responses = await Promise.all(queries.map((query) => read(query)));
    const advice = await Promise.all(queries.map((query) => adviceFor(kind, query, regions)));
    return queries.map((query, index): Finding => {
      const response = responses[index] ?? { error: "no response" };
      if ("error" in response) return fail(`reads ${nameOf(query)}`, response.error, advice[index] ?? "");
      const values = response.items.map(({ value }) => String(value)).join(", ");
      return values === ""
        ? fail(`reads ${nameOf(query)}`, "the answer has no value", adviceOf(kind))
        : ok(`reads ${nameOf(query)}: ${values}`);
    });
  });
  return (await Promise.all(findings)).flat();
}

/** The AWS region of queries that name none. Rejects if this machine has none. */
export type Regions = () => Promise<string>;

/** What to do when a query fails: first what the query itself lacks. */
export async function adviceFor(kind: string, query: Asked, regions: Regions): Promise<string> {
  const known = descriptionOf(kind);
  if (known === undefined) return adviceOf(kind);
  try {
    const { region, address } = known.parse({ metricName: query.metricName, parameters: query.parameters }) as Located;
    if (region !== undefined || address?.region !== undefined) return adviceOf(kind);
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    return "fix the parameters: the labels of the metric's selector (ebb edit hpa), or the source's (ebb edit source)";
  }
  // Only a kind with this parameter asks AWS.
  if (!Object.hasOwn(known.fields, "region")) return adviceOf(kind);
  return await regions().then(
    () => adviceOf(kind),
    () => "no AWS region is set here: set AWS_REGION, choose --region, or give the metric the parameter region",
  );
}

type Asked = Pick<SourceNeed, "metricName" | "parameters">;

/** Where a parsed query goes, if it says so. */
interface Located {
  readonly region?: string;
  readonly address?: { readonly region?: string };
}

function adviceOf(kind: string): string {
  return descriptionOf(kind)?.advice ?? "see docs/metrics.md";
}

function nameOf({ metricName, parameters }: SourceNeed): string {
  const given = Object.entries(parameters).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${metricName}(${given.join(",")})`;
}
