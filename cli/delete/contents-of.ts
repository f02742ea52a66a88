import type { EntryRef } from "../../lib/table/entry-item";
import { failure } from "../failure";
import type { Session } from "../session";

/**
 * A cluster and what has to go before it: without its entry nobody would look after its HPAs any more.
 *
 * @throws Failure when it has any, and they are not to go with it.
 */
export async function withContents(
  ref: EntryRef,
  cascade: boolean,
  { entries, signal }: Pick<Session, "entries" | "signal">,
): Promise<readonly EntryRef[]> {
  if (ref.kind !== "Cluster") return [ref];
  const { cluster } = ref;
  const [hpas, sources] = await Promise.all([
    entries.list("HorizontalPodAutoscaler", { cluster }, signal),
    entries.list("MetricSource", { cluster }, signal),
  ]);
  const contents = [...hpas, ...sources].map((entry) => entry.ref);
  if (cascade || contents.length === 0) return [...contents, ref];
  const counts = `${counted(hpas.length, "HPA")} and ${counted(sources.length, "metric source")}`;
  throw failure(`cluster "${cluster}" still has ${counts}: delete them first, or all of it with --cascade`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
