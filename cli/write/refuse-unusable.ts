import { noSources, sourcesOf, unusableProblems } from "./documents/unusable";
import { unknownCluster } from "../shell/connect/choose-cluster";
import { objectName } from "./documents/printed-object";
import { failure } from "../shell/failure";
import type { Session } from "../shell/session";
import type { PlacedDocument } from "./place-documents";

type Deps = Pick<Session, "entries" | "signal">;
type Settled = Deps & Pick<Session, "settings">;

/** Valid documents that cannot work in the table. @throws Failure with one line per problem; it refuses all of them */
export async function refuseUnusable(placed: readonly PlacedDocument[], deps: Settled): Promise<void> {
  await refuseUnregistered(placed, deps);
  const problems: string[] = [];
  for (const cluster of new Set(placed.map(({ ref }) => ref.cluster))) {
    const own = placed.filter(({ ref }) => ref.cluster === cluster);
    const hasMetrics = own.some(({ kind }) => kind === "HorizontalPodAutoscaler");
    const known = hasMetrics ? await sourcesOf(cluster, own, deps) : noSources;
    problems.push(...own.flatMap((given) => unusableProblems(given, { known, settings: deps.settings })));
  }
  if (problems.length > 0) throw failure(problems.join("\n"));
}

/** No sync ever reads an entry whose cluster has none. @throws Failure with one line for each unknown cluster */
export async function refuseUnregistered(
  placed: readonly Pick<PlacedDocument, "kind" | "name" | "ref">[],
  deps: Deps,
): Promise<void> {
  const own = new Set(placed.filter(({ kind }) => kind === "Cluster").map(({ name }) => name));
  const others = new Set(placed.map(({ ref }) => ref.cluster).filter((cluster) => !own.has(cluster)));
  const lines: string[] = [];
  for (const cluster of others) {
    if ((await deps.entries.list("Cluster", { cluster }, deps.signal)).length > 0) continue;
    const waiting = placed.filter(({ ref }) => ref.cluster === cluster).map(objectName);
    const { message } = await unknownCluster(cluster, deps);
    lines.push(`${message}; register it first, or together with ${summaryOf(waiting)}`);
  }
  if (lines.length > 0) throw failure(lines.join("\n"));
}

function summaryOf([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
