import type { ApiServer } from "../../test/e2e/servers/api-server";

/** Requests that the API server has answered so far, as its own metric counts them: "GET deployments/scale". */
export type ApiRequests = Readonly<Record<string, number>>;

/**
 * What neither controller asks for: the API server's own housekeeping (it collects the OpenAPI of aggregated APIs every
 * second or so), and the bench's reading of the metric.
 */
const housekeeping =
  /^$|^(openapi|leases|endpointslices|endpoints|configmaps|namespaces|services|apiservices|nodes)(\/|$)/;

export async function apiRequests({ admin }: ApiServer): Promise<ApiRequests> {
  const text = await admin.get<string>("/metrics");
  const counts: Record<string, number> = {};
  for (const [, labels = "", value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const resource = [label("resource"), label("subresource")].filter((part) => part !== "").join("/");
    if (label("verb") === "WATCH" || housekeeping.test(resource)) continue;
    const name = `${label("verb")} ${resource}`;
    counts[name] = (counts[name] ?? 0) + Number(value);
  }
  return counts;
}

export function requestsSince(before: ApiRequests, after: ApiRequests): ApiRequests {
  const names = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0));
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
}

export const total = (counts: ApiRequests) => Object.values(counts).reduce((sum, count) => sum + count, 0);
