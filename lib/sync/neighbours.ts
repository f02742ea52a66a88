import { parseSelector } from "../api/selector";
import type { Situation } from "../core/situation";
import type { State } from "../core/state";
import { equalities } from "./equalities";

export interface Neighbours {
  /** The other HPAs of the namespace whose targets could share pods with this selector; empty where that is impossible. */
  of(key: string, selector: string): Situation["otherHpas"];
}

/**
 * What the HPAs of a shard know of each other's selectors: those their states remember, as upstream's controller learns them on earlier
 * syncs. Two HPAs on the same pods is a mistake that halts both (AmbiguousSelector); to find it, pods have to be listed. Most namespaces
 * give each workload a label value of its own, which rules it out without listing any: that is what the counts below are for.
 */
export function knowNeighbours(states: Readonly<Record<string, State>>, present: ReadonlySet<string>): Neighbours {
  const byNamespace = new Map<string, SelectorCounts>();
  for (const [key, state] of Object.entries(states)) {
    if (!present.has(key) || state.selector === undefined || state.selector === "") continue;
    const [namespace = "", name = ""] = key.split("/");
    const counts: SelectorCounts = byNamespace.get(namespace) ?? { hpas: [], labels: new Map(), pairs: new Map() };
    byNamespace.set(namespace, counts);
    counts.hpas.push({ namespace, name, selector: state.selector });
    for (const [label, value] of equalitiesOf(state.selector)) {
      counts.labels.set(label, (counts.labels.get(label) ?? 0) + 1);
      counts.pairs.set(`${label}=${value}`, (counts.pairs.get(`${label}=${value}`) ?? 0) + 1);
    }
  }

  return {
    of(key, selector) {
      const [namespace = "", name = ""] = key.split("/");
      const counts = byNamespace.get(namespace);
      if (counts === undefined) return [];
      const own = states[key]?.selector === selector ? 1 : 0;
      if (isAlone(selector, counts, own)) return [];
      return counts.hpas.filter((other) => other.name !== name);
    },
  };
}

interface SelectorCounts {
  readonly hpas: { readonly namespace: string; readonly name: string; readonly selector: string }[];
  /** How many selectors demand some value of a label, and how many demand this value of it. */
  readonly labels: Map<string, number>;
  readonly pairs: Map<string, number>;
}

/** Some label of ours is demanded by every selector of the namespace, and our value of it by nobody else: no pod can match two. */
function isAlone(selector: string, { hpas, labels, pairs }: SelectorCounts, own: number): boolean {
  const others = hpas.length - own;
  if (others === 0) return true;
  return equalitiesOf(selector).some(
    ([label, value]) => (labels.get(label) ?? 0) - own === others && (pairs.get(`${label}=${value}`) ?? 0) === own,
  );
}

function equalitiesOf(selector: string): readonly (readonly [string, string])[] {
  try {
    return equalities(parseSelector(selector));
  } catch {
    return []; // an unparsable selector demands nothing; the decision says InvalidSelector on its own HPA
  }
}
