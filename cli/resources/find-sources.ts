import { ageOf } from "../../lib/k8s/printing/human-duration";
import { decodeSource } from "../../lib/table/items/resource-items";
import type { Session } from "../session";
import { createdAt } from "./find-clusters";
import type { Found } from "./found";
import { labelsOf } from "./labels-of";
import type { Scope } from "./scope";

/** The metric sources. One that is no usable entry is found, too: its row says so. */
export async function findSources({ entries, signal, now }: Session, scope: Scope): Promise<readonly Found[]> {
  const found = await Promise.all(scope.clusters.map((cluster) => entries.list("MetricSource", { cluster }, signal)));
  return found.flat().map(({ ref: { cluster, name }, document, item }) => {
    const source = decodeSource(item);
    const kind = "invalid" in source ? `<invalid> ${source.invalid}` : source.value.spec.kind;
    const row = [name, kind, ageOf(createdAt(document), now())];
    return { cluster, name, labels: labelsOf(document), object: document, row };
  });
}
