import { someAtATime } from "../../../lib/async/semaphore";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { closest } from "../../../lib/model/check/closest";
import { isFault } from "../../../lib/model/fault";
import type { ResourceName } from "../../../lib/read/found";
import type { EntryLocation } from "../../../lib/model/ports/entries";
import type { Session } from "../session";

/** A suggestion must not cost more than the command itself. */
const most = { names: 3, clusters: 3, keys: 10_000 } as const;

export interface SearchLocation {
  readonly resource: ResourceName;
  readonly clusters: readonly string[];
  readonly namespace?: string;
}

type Suggesting = Pick<Session, "entries" | "store" | "signal">;

export async function suggestions(
  session: Suggesting,
  place: SearchLocation,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (names.length === 0 || names.length > most.names) return names.map(() => undefined);
  const known = await placesIn(session, place);
  return names.map((name) => suggestion(known, place, name));
}

export async function otherNamespaces(session: Suggesting, place: SearchLocation): Promise<string | undefined> {
  const { resource, namespace } = place;
  if (!["hpa", "events"].includes(resource) || namespace === undefined) return undefined;
  const known = namespacesOf(await placesIn(session, place));
  if (known.length === 0 || known.includes(namespace)) return undefined;
  const meant = closest(namespace, known);
  if (meant !== undefined) return `did you mean the namespace ${escapeLine(meant)}?`;
  return `there are HPAs in ${listed(known)}: choose a namespace with -n, or all with -A`;
}

/** Skips names that the user may not read. */
async function placesIn(
  { entries, store, signal }: Suggesting,
  place: SearchLocation,
): Promise<readonly EntryLocation[]> {
  const { resource, namespace } = place;
  const clusters = place.clusters.slice(0, most.clusters);
  const all = { most: most.keys };
  const bounds = { limit: most.clusters, signal };
  try {
    if (resource === "clusters") return (await store.clusters(signal)).map(({ key }) => ({ name: key }));
    const kind = resource === "sources" ? "MetricSource" : "HorizontalPodAutoscaler";
    const found = await someAtATime(clusters, bounds, async (cluster) => {
      const known = await entries.places(kind, { cluster, ...all }, signal);
      if (known.length < most.keys || namespace === undefined || kind === "MetricSource") return known;
      return [...known, ...(await entries.places(kind, { cluster, namespace, ...all }, signal))];
    });
    return found.flat();
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}

function suggestion(known: readonly EntryLocation[], { namespace }: SearchLocation, name: string): string | undefined {
  const near = (places: readonly EntryLocation[]) => closest(name, [...new Set(places.map((its) => its.name))]);
  const here = namespace === undefined ? known : known.filter((its) => its.namespace === namespace);
  if (here.some((its) => its.name === name)) return undefined;
  const elsewhere = namespacesOf(known.filter((its) => its.name === name && its.namespace !== namespace));
  if (namespace !== undefined && elsewhere.length > 0) {
    const one = elsewhere.length === 1 ? `: add -n ${escapeLine(elsewhere[0] ?? "")}` : ": choose one with -n";
    return `${escapeLine(name)} is in ${listed(elsewhere)}${one}`;
  }
  const meant = near(here);
  if (meant !== undefined) return `did you mean ${escapeLine(meant)}?`;
  const other = near(known);
  if (namespace === undefined || other === undefined) return undefined;
  const where = namespacesOf(known.filter((its) => its.name === other))[0] ?? "";
  return `did you mean ${escapeLine(other)} in the namespace ${escapeLine(where)} (-n ${escapeLine(where)})?`;
}

function namespacesOf(places: readonly EntryLocation[]): readonly string[] {
  return [...new Set(places.flatMap(({ namespace }) => namespace ?? []))].sort();
}

const mostListed = 5;

/** "the namespace shop", "the namespaces shop, test" */
function listed(namespaces: readonly string[]): string {
  const more = namespaces.length > mostListed ? `, and ${namespaces.length - mostListed} more` : "";
  const names = namespaces.slice(0, mostListed).map(escapeLine).join(", ");
  return `the namespace${namespaces.length === 1 ? "" : "s"} ${names}${more}`;
}
