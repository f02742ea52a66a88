import type { EpochMs } from "../../lib/k8s/time";
import type { DecisionRecord } from "../../lib/model/state";
import type { TableStore } from "../../lib/table/store";

const aPage = 100;

/** The decisions of one HPA after `since`, the newest first. Rejects with a Fault. */
export async function decisionsSince(
  store: Pick<TableStore, "decisions">,
  { cluster, key, since }: { readonly cluster: string; readonly key: string; readonly since: EpochMs },
  signal: AbortSignal,
): Promise<readonly DecisionRecord[]> {
  const found: DecisionRecord[] = [];
  let notAfter: EpochMs | undefined;
  for (;;) {
    const query = { limit: aPage, ...(notAfter === undefined ? {} : { notAfter }) };
    const page = await store.decisions(cluster, key, query, signal);
    const newer = page.filter(({ at }) => at > since);
    found.push(...newer);
    const last = page.at(-1);
    if (last === undefined || page.length < aPage || newer.length < page.length) return found;
    notAfter = last.at - 1;
  }
}
