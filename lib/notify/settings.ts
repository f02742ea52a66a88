import { matches, type Selector } from "../k8s/selector";
import { splitKey } from "../model/hpa-key";
import type { HpaType, LastingType } from "../model/notification";
import type { HpaRef, NotifiedEntry } from "../model/ports/notified";

export interface NotifySettings {
  readonly stack: string;
  readonly afterMs: Readonly<Record<LastingType, number>>;
  readonly hourlyCap: number;
  readonly filters: Filters;
}

/** Empty: all. */
export interface Filters {
  readonly types: ReadonlySet<HpaType>;
  readonly clusters: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly labels: Selector;
}

const allows = (values: ReadonlySet<string>, value: string) => values.size === 0 || values.has(value);

export function wantsHpa({ clusters, namespaces }: Filters, { cluster, key }: HpaRef): boolean {
  return allows(clusters, cluster) && allows(namespaces, splitKey(key)[0]);
}

export function wantsEntry({ labels }: Filters, entry: NotifiedEntry): boolean {
  return matches(labels, entry.labels);
}

export function wantsType({ types }: Filters, type: HpaType): boolean {
  return allows(types, type);
}
