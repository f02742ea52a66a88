import { metricProblems, sourcesOf } from "../documents/check-metrics";
import { failure } from "../failure";
import type { Session } from "../session";
import type { PlacedDocument } from "./place-documents";

type Deps = Pick<Session, "entries" | "signal">;

/** Valid documents that cannot work in the table. @throws Failure with one line per problem; it refuses all of them */
export async function refuseUnusable(placed: readonly PlacedDocument[], deps: Deps): Promise<void> {
  const problems: string[] = [];
  for (const cluster of new Set(placed.map(({ ref }) => ref.cluster))) {
    const own = placed.filter(({ ref }) => ref.cluster === cluster);
    problems.push(...(await unreadableMetrics(cluster, own, deps)));
  }
  if (problems.length > 0) throw failure(problems.join("\n"));
}

async function unreadableMetrics(cluster: string, placed: readonly PlacedDocument[], deps: Deps): Promise<string[]> {
  if (placed.every(({ kind }) => kind !== "HorizontalPodAutoscaler")) return [];
  const known = await sourcesOf(cluster, placed, deps);
  return placed.flatMap((document) => metricProblems(document, known));
}
