import { openSqsClients } from "../../../lib/aws/clients";
import { openMetricSources } from "../../../lib/sources/registry";
import type { SourceNetwork } from "../../../lib/sources/network/network";
import { externalSource, shareSources } from "../../../lib/readings/read-sources";

/** What a sync reads for an External metric of the kind's name, and its files in memory before and after. */
export async function probe(files: () => readonly string[]) {
  const sources = openMetricSources({ sqs: openSqsClients(), cloudwatch: {}, network: {} as SourceNetwork });
  const metric = { name: "made-up", selector: { matchLabels: { topic: "orders", partitions: "3" } } };
  const found = externalSource(metric, { entries: new Map(), sources });
  if (found.kind !== "source") return { found };
  const api = () => Promise.reject(new Error("expected no question to the cluster"));
  const context = { now: 0, slot: 0, signal: new AbortController().signal, cluster: { name: "prod", api } };
  const reads = shareSources(sources, {}, context);
  const before = files();
  const { response } = await reads.read(found.source, { metricName: metric.name, parameters: found.parameters });
  return { response, before, after: files() };
}
