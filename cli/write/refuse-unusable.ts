import type { EntryContent } from "../../lib/model/ports/entries";
import { unknownCluster } from "../shell/connect/choose-cluster";
import { type GivenDocument, unusableProblems } from "./documents/read-given";
import { tableAround } from "./documents/table-around";
import { failure } from "../shell/failure";
import type { Session } from "../shell/session";
import { objectName } from "./report";

type Deps = Pick<Session, "entries" | "signal">;

/** @throws Failure with one line for each problem of a valid document in the table */
export async function refuseUnusable(
  placed: readonly GivenDocument[],
  deps: Deps & Pick<Session, "settings">,
): Promise<void> {
  await refuseUnregistered(placed, deps);
  const problems: string[] = [];
  for (const cluster of new Set(placed.map(({ ref }) => ref.cluster))) {
    const own = placed.filter(({ ref }) => ref.cluster === cluster);
    const where = { settings: deps.settings, ...(await tableAround(cluster, own, deps)) };
    problems.push(...own.flatMap((given) => unusableProblems(given, where)));
  }
  if (problems.length > 0) throw failure(problems.join("\n"));
}

/** No sync reads entries of an unregistered cluster. @throws Failure with one line for each unknown cluster */
export async function refuseUnregistered(placed: readonly Pick<EntryContent, "ref">[], deps: Deps): Promise<void> {
  const refs = placed.map(({ ref }) => ref);
  const own = new Set(refs.filter(({ kind }) => kind === "Cluster").map(({ name }) => name));
  const others = new Set(refs.map(({ cluster }) => cluster).filter((cluster) => !own.has(cluster)));
  const lines: string[] = [];
  for (const cluster of others) {
    if ((await deps.entries.list("Cluster", { cluster }, deps.signal)).length > 0) continue;
    const [first = "", ...more] = refs.filter((ref) => ref.cluster === cluster).map(objectName);
    const waiting = more.length === 0 ? first : `${first} and ${more.length} more`;
    const { message } = await unknownCluster(cluster, deps);
    lines.push(`${message}; register it first, or together with ${waiting}`);
  }
  if (lines.length > 0) throw failure(lines.join("\n"));
}
