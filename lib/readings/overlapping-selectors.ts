import { BoundedMap } from "../async/bounded-map";
import { asHpaKey, type HpaKey, namespaceOf, splitKey } from "../model/hpa-key";
import { parseSelector, type Selector, matches } from "../k8s/selector";
import type { Pod, ObjectMeta } from "../k8s/objects";
import type { Situation } from "../model/situation";
import type { State } from "../model/stored/state";

export interface OverlappingSelectors {
  mayShare(key: HpaKey, selector: string): boolean;
  of(key: HpaKey, pods: readonly Pod[]): Situation["otherHpas"];
}

/**
 * HPAs on the same pods halt (AmbiguousSelector). Counts of labels mostly rule it out without a list of the pods.
 * Selectors are those of earlier syncs, as upstream's.
 */
export function openOverlappingSelectors(
  states: Readonly<Record<string, State>>,
  present: ReadonlySet<string>,
): OverlappingSelectors {
  const byNamespace = new Map<string, Selectors>();
  for (const [text, state] of Object.entries(states)) {
    const key = asHpaKey(text);
    if (!present.has(key) || state.selector === undefined || state.selector === "") continue;
    const [namespace, name] = splitKey(key);
    const known: Selectors = byNamespace.get(namespace) ?? { hpas: [], labels: new Map(), pairs: new Map() };
    byNamespace.set(namespace, known);
    const demands = equalitiesOf(state.selector);
    known.hpas.push({ namespace, name, selector: state.selector, demands });
    for (const [label, value] of demands) {
      known.labels.set(label, (known.labels.get(label) ?? 0) + 1);
      known.pairs.set(`${label}=${value}`, (known.pairs.get(`${label}=${value}`) ?? 0) + 1);
    }
  }
  const indexes = new Map<Selectors, SelectorIndex>();

  return {
    mayShare(key, selector) {
      const known = byNamespace.get(namespaceOf(key));
      const own = states[key]?.selector === selector ? 1 : 0;
      return known !== undefined && !isAlone(selector, known, own);
    },
    of(key, pods) {
      const [namespace, name] = splitKey(key);
      const known = byNamespace.get(namespace);
      if (known === undefined) return [];
      const index = indexes.get(known) ?? indexSelectors(known);
      indexes.set(known, index);
      const pairs = new Set(
        pods.flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}).map(([l, v]) => `${l}=${v}`)),
      );
      const candidates = [...index.anywhere, ...[...pairs].flatMap((pair) => index.byPair.get(pair) ?? [])];
      return candidates.filter((other) => other.name !== name);
    },
  };
}

interface KnownHpa {
  readonly namespace: string;
  readonly name: string;
  readonly selector: string;
  readonly demands: Demands;
}

interface Selectors {
  readonly hpas: KnownHpa[];
  /** Selectors with any value of a label, and with this one. */
  readonly labels: Map<string, number>;
  readonly pairs: Map<string, number>;
}

interface SelectorIndex {
  /** HPAs, by the rarest of their required label values. */
  readonly byPair: ReadonlyMap<string, readonly KnownHpa[]>;
  readonly anywhere: readonly KnownHpa[];
}

function indexSelectors({ hpas, pairs }: Selectors): SelectorIndex {
  const byPair = new Map<string, KnownHpa[]>();
  const anywhere: KnownHpa[] = [];
  for (const hpa of hpas) {
    const demands = hpa.demands.map(([label, value]) => `${label}=${value}`);
    const [rarest] = demands.sort((a, b) => (pairs.get(a) ?? 0) - (pairs.get(b) ?? 0));
    const bucket = rarest === undefined ? anywhere : (byPair.get(rarest) ?? []);
    if (rarest !== undefined) byPair.set(rarest, bucket);
    bucket.push(hpa);
  }
  return { byPair, anywhere };
}

/** All selectors require one of our labels, and no other requires our value: no pod matches two. */
function isAlone(selector: string, { hpas, labels, pairs }: Selectors, own: number): boolean {
  const others = hpas.length - own;
  if (others === 0) return true;
  return equalitiesOf(selector).some(
    ([label, value]) => (labels.get(label) ?? 0) - own === others && (pairs.get(`${label}=${value}`) ?? 0) === own,
  );
}

type Demands = ReturnType<typeof equalities>;

const demandsBySelector = new BoundedMap<string, Demands>(8_000);
const mostKnownCharacters = 256;
/** Beyond these characters, labels are ignored: the first ones differ, or a list of the pods decides. */
const mostCharacters = 512;

function equalitiesOf(selector: string): Demands {
  const demands = demandsBySelector.get(selector) ?? parsedEqualities(beginningOf(selector));
  if (!demandsBySelector.has(selector) && selector.length <= mostKnownCharacters)
    demandsBySelector.set(selector, demands);
  return demands;
}

function beginningOf(selector: string): string {
  if (selector.length <= mostCharacters) return selector;
  const beginning = selector.slice(0, mostCharacters);
  const open = beginning.lastIndexOf("(");
  const isWithin = open > beginning.lastIndexOf(")");
  return beginning.slice(0, Math.max(0, beginning.lastIndexOf(",", isWithin ? open : mostCharacters)));
}

function parsedEqualities(selector: string): Demands {
  try {
    return equalities(parseSelector(selector));
  } catch {
    return []; // its own HPA's decision says InvalidSelector
  }
}

export function equalities(selector: Selector): readonly (readonly [label: string, value: string])[] {
  if (selector.kind === "nothing") return [];
  return selector.requirements.flatMap(({ key, operator, values }) => {
    const [value] = values;
    const demandsOne = (operator === "=" || operator === "==" || operator === "in") && values.length === 1;
    return demandsOne && value !== undefined ? [[key, value] as const] : [];
  });
}

export interface LabelIndex<T> {
  readonly all: readonly T[];
  matching(selector: Selector): readonly T[];
}

/** A selector is tried on the smallest bucket of its equalities: a thousand HPAs must not each look at every object. */
export function indexByLabel<T extends { readonly metadata: ObjectMeta }>(all: readonly T[]): LabelIndex<T> {
  const buckets = new Map<string, T[]>();
  for (const item of all) {
    for (const [label, value] of Object.entries(item.metadata.labels ?? {})) {
      const bucket = buckets.get(`${label}=${value}`);
      if (bucket === undefined) buckets.set(`${label}=${value}`, [item]);
      else bucket.push(item);
    }
  }

  function candidates(selector: Selector): readonly T[] {
    let smallest: readonly T[] = all;
    for (const [label, value] of equalities(selector)) {
      const bucket = buckets.get(`${label}=${value}`) ?? [];
      if (bucket.length < smallest.length) smallest = bucket;
    }
    return smallest;
  }

  return {
    all,
    matching: (selector) => candidates(selector).filter((item) => matches(selector, item.metadata.labels ?? {})),
  };
}
