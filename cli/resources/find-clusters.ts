import { ageOf } from "../../lib/k8s/printing/human-duration";
import { decodeCluster } from "../../lib/table/items/resource-items";
import type { Session } from "../session";
import type { Found } from "./found";
import { labelsOf } from "./labels-of";
import type { Scope } from "./scope";

/** The clusters that are registered. One that is no usable entry is found, too: its row says so. */
export async function findClusters({ entries, signal, now }: Session, scope: Scope): Promise<readonly Found[]> {
  const asked = scope.clusters.filter((cluster) => scope.names?.includes(cluster) ?? true);
  const found = await Promise.all(
    asked.map(async (cluster): Promise<readonly Found[]> => {
      const [[entry], hpas] = await Promise.all([
        entries.list("Cluster", { cluster }, signal),
        entries.list("HorizontalPodAutoscaler", { cluster }, signal),
      ]);
      if (entry === undefined) return [];
      const { document, item } = entry;
      const age = ageOf(createdAt(document), now());
      const row = [cluster, ...reachedBy(decodeCluster(item)), String(hpas.length), age];
      return [{ cluster, name: cluster, labels: labelsOf(document), object: document, row }];
    }),
  );
  return found.flat();
}

/** ENDPOINT and AUTH. */
function reachedBy(entry: ReturnType<typeof decodeCluster>): readonly [string, string] {
  if ("invalid" in entry) return ["<invalid>", entry.invalid];
  const { endpoint = "<kubeconfig>", auth } = entry.value.spec;
  return [endpoint, auth.type];
}

/** metadata.creationTimestamp, of an entry that has one. */
export function createdAt(document: Readonly<Record<string, unknown>>): string | undefined {
  const { creationTimestamp } = (document["metadata"] ?? {}) as { creationTimestamp?: unknown };
  return typeof creationTimestamp === "string" ? creationTimestamp : undefined;
}
