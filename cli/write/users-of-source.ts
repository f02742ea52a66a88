import { isMap } from "../../lib/k8s/map";
import { validateHpaEntry } from "../../lib/model/entry/validate-hpa-entry";
import { builtInKinds } from "../../lib/sources/registry";
import type { EntryRef, StoredEntry } from "../../lib/model/ports/entries";
import type { Session } from "../shell/session";

const mostNamed = 3;

/** HPAs and formulas that read a source about to be deleted, except entries of `doomed`. */
export function sourceWarnings(
  { entries, signal }: Pick<Session, "entries" | "signal">,
  doomed: readonly EntryRef[],
): ({ kind, cluster, namespace, name }: EntryRef) => Promise<string | undefined> {
  const going = new Set(doomed.map(idOf));
  const listings = new Map<string, Promise<readonly StoredEntry[]>>();

  async function listed(cluster: string): Promise<readonly StoredEntry[]> {
    const [hpas, sources] = await Promise.all([
      entries.list("HorizontalPodAutoscaler", { cluster }, signal),
      entries.list("MetricSource", { cluster }, signal),
    ]);
    return [...hpas, ...sources].filter(({ ref }) => !going.has(idOf(ref)));
  }

  return async ({ cluster, name }) => {
    const listing = listings.get(cluster) ?? listed(cluster);
    listings.set(cluster, listing);
    const users = (await listing).filter((entry) => reads(entry, name));
    const hpas = users.filter(({ ref }) => ref.kind === "HorizontalPodAutoscaler");
    const formulas = users.filter(({ ref }) => ref.kind === "MetricSource");
    const by = [...named("HPA", hpas), ...named("metric source", formulas)].join(", and by ");
    if (by === "") return undefined;
    const next = builtInKinds().includes(name)
      ? `from now on, ${name} is the built-in kind, with the parameters of their labels alone`
      : `without it, ebb looks for the metric ${name} in the cluster (external.metrics.k8s.io), and an HPA that cannot read a metric does not shrink`;
    return `metric source "${name}" is still used by ${by}: ${next}`;
  };
}

const idOf = ({ kind, cluster, namespace, name }: EntryRef) => JSON.stringify([kind, cluster, namespace, name]);

function named(what: string, users: readonly StoredEntry[]): readonly string[] {
  if (users.length === 0) return [];
  const names = users.map(({ ref: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`));
  const more = names.length - mostNamed;
  const list = names.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [`${what}${names.length === 1 ? "" : "s"} ${list}`];
}

function reads({ ref, document }: StoredEntry, source: string): boolean {
  if (ref.kind === "HorizontalPodAutoscaler") {
    const { hpa } = validateHpaEntry(document);
    return hpa?.spec.metrics?.some(({ external }) => external?.metric.name === source) === true;
  }
  const { spec } = document;
  const parameters = isMap(spec) && isMap(spec["parameters"]) ? spec["parameters"] : {};
  const operands: unknown = parameters["operands"];
  return Array.isArray(operands) && operands.some((one: unknown) => isMap(one) && one["source"] === source);
}
