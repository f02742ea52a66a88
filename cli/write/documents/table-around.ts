import { once } from "../../../lib/async/shared";
import { present } from "../../../lib/k8s/map";
import type { EntryKind } from "../../../lib/model/entry/kinds";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import type { Entries, EntryContent, StoredEntry } from "../../../lib/model/ports/entries";
import type { KnownEntries } from "../../../lib/sources/validate-parameters";
import { clusterIn, sourceIn } from "../../../lib/table/items/resource-items";
import { sourcesAmong, type SourceSpec, type Where } from "./check-document";
import { periodIn } from "./check-timeouts";

interface Deps {
  readonly entries: Pick<Entries, "list">;
  readonly signal: AbortSignal;
}

/** The table around documents of this cluster, which are `written` together. */
export async function tableAround(
  cluster: string,
  written: readonly EntryContent[],
  deps: Deps,
): Promise<Omit<Where, "settings">> {
  const { entries, signal } = deps;
  const list = (kind: EntryKind) => entries.list(kind, { cluster }, signal);
  const isAlone = written.every(({ ref }) => ref.kind === "HorizontalPodAutoscaler");
  const [clusters, sources, hpas] = await Promise.all([
    list("Cluster"),
    list("MetricSource"),
    // A cluster may have thousands, and they matter to clusters and sources alone.
    isAlone ? [] : list("HorizontalPodAutoscaler"),
  ]);
  const isKept = ({ ref }: StoredEntry) =>
    !written.some(({ ref: { kind, namespace, name } }) => {
      return kind === ref.kind && namespace === ref.namespace && name === ref.name;
    });
  const before = clusters.flatMap(periodsIn)[0];
  const own = written.find(({ ref }) => ref.kind === "Cluster" && ref.name === cluster);
  return {
    known: knownFrom(cluster, written, sources),
    ...present({ periodSeconds: own === undefined ? before : periodIn(own.document["spec"]) }),
    stored: {
      ...present({ periodSeconds: before }),
      sources: new Map(sources.filter(isKept).flatMap(usable)),
      hpas: hpas.filter(isKept).flatMap(({ document }) => validateHpaEntry(document).hpa ?? []),
    },
  };
}

/** For entries that are changed one by one: the HPAs of a cluster share what is around them. */
export function tableAroundEach(deps: Deps): (changed: EntryContent) => ReturnType<typeof tableAround> {
  const arounds = once<Omit<Where, "settings">>();
  return ({ ref, document }) => {
    const { kind, cluster, name } = ref;
    const key = JSON.stringify([kind, cluster, kind === "HorizontalPodAutoscaler" ? "" : name]);
    return arounds(key, () => tableAround(cluster, [{ ref, document }], deps));
  };
}

/** Includes sources that are about to be written. */
export async function sourcesOf(cluster: string, written: readonly EntryContent[], deps: Deps): Promise<KnownEntries> {
  return knownFrom(cluster, written, await deps.entries.list("MetricSource", { cluster }, deps.signal));
}

function knownFrom(cluster: string, written: readonly EntryContent[], stored: readonly StoredEntry[]): KnownEntries {
  const own = sourcesAmong(written.filter(({ ref }) => ref.cluster === cluster));
  return { entries: new Map([...stored.flatMap(usable), ...own.entries]), areAll: true };
}

function usable(stored: StoredEntry): readonly (readonly [string, SourceSpec])[] {
  const source = sourceIn(stored);
  return "value" in source ? [[source.key, source.value.spec]] : [];
}

function periodsIn(stored: StoredEntry): readonly number[] {
  const found = clusterIn(stored);
  return "value" in found ? [periodIn(found.value.spec)] : [];
}
