import type { EpochMs } from "../../lib/k8s/time";
import type { MetricSources } from "../../lib/model/ports";
import { descriptions } from "../../lib/sources/descriptions";
import { type Finding, fail, ok } from "./finding";
import type { SourceNeed } from "../../lib/read/needs";

/** Reads every distinct query once, as a sync does. */
export async function checkSources(
  sources: MetricSources,
  needs: readonly SourceNeed[],
  { now, signal }: { readonly now: EpochMs; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  const kinds = [...new Set(needs.map(({ source }) => source))];
  const findings = kinds.map(async (kind) => {
    const queries = needs.filter(({ source }) => source === kind);
    const source = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
    if (source === undefined) {
      const todo = `set spec.kind to one of ${Object.keys(sources).join(", ")}`;
      return queries.map((query) => fail(`reads ${nameOf(query)}`, `there is no kind of source named ${kind}`, todo));
    }
    const reader = source.open({ now, signal });
    const responses = await Promise.all(queries.map((query) => reader.read(query)));
    return queries.map((query, index): Finding => {
      const response = responses[index] ?? { error: "no response" };
      if ("error" in response) return fail(`reads ${nameOf(query)}`, response.error, adviceOf(kind));
      const values = response.items.map(({ value }) => String(value)).join(", ");
      return values === ""
        ? fail(`reads ${nameOf(query)}`, "the answer has no value", adviceOf(kind))
        : ok(`reads ${nameOf(query)}: ${values}`);
    });
  });
  return (await Promise.all(findings)).flat();
}

function adviceOf(kind: string): string {
  const described = Object.values(descriptions).find(({ name }) => name === kind);
  return described?.advice ?? "see docs/metrics.md";
}

function nameOf({ metricName, parameters }: SourceNeed): string {
  const given = Object.entries(parameters).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${metricName}(${given.join(",")})`;
}
