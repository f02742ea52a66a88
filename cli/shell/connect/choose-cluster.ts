import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { closest } from "../../../lib/model/check/closest";
import { isFault } from "../../../lib/model/fault";
import type { Store } from "../../../lib/model/ports/store";
import type { Entries } from "../../../lib/model/ports/entries";
import type { Settings } from "../settings";
import { type Failure, failure, serverFailure } from "../failure";

interface Deps {
  readonly store: Pick<Store, "clusters">;
  readonly entries: Pick<Entries, "list" | "hasCluster">;
  readonly signal: AbortSignal;
}

export interface ClusterChoice {
  /** The setting, else the table's only cluster. @throws Failure that lists the clusters */
  cluster(): Promise<string>;
  /** The setting, else all clusters. @throws Failure that lists them */
  clusters(): Promise<readonly string[]>;
}

export function chooseCluster({ cluster: asked }: Pick<Settings, "cluster">, deps: Deps): ClusterChoice {
  const registered = async () => (await deps.store.clusters(deps.signal)).map(({ key }) => key);
  let checking: Promise<string> | undefined;
  const check = (cluster: string) => (checking ??= knownCluster(cluster, deps));
  return {
    async cluster() {
      if (asked !== undefined) return await check(asked);
      const names = await registered();
      const [only, ...others] = names;
      if (only === undefined) throw failure("the table has no cluster yet: register one with `ebb apply -f`");
      if (others.length === 0) return only;
      throw failure(`the table has ${names.length} clusters (${listed(names)}): choose one with --cluster`);
    },
    clusters: async () => (asked === undefined ? await registered() : [await check(asked)]),
  };
}

/**
 * A cluster without an entry can still have HPAs and metric sources, to see and delete. The user may lack permission to
 * read other clusters.
 */
async function knownCluster(cluster: string, deps: Deps): Promise<string> {
  if (await deps.entries.hasCluster(cluster, deps.signal)) return cluster;
  throw await unknownCluster(cluster, deps);
}

export async function unknownCluster(cluster: string, { entries, signal }: Omit<Deps, "store">): Promise<Failure> {
  const words = `clusters.ebb.dev "${escapeLine(cluster)}" not found`;
  try {
    const names = (await entries.list("Cluster", {}, signal)).map(({ ref }) => ref.name);
    return serverFailure("NotFound", `${words}; ${othersText(cluster, names)}`);
  } catch (error) {
    if (!isFault(error, "forbidden")) throw error;
    return serverFailure("NotFound", words);
  }
}

function othersText(cluster: string, names: readonly string[]): string {
  const meant = closest(cluster, names);
  if (meant !== undefined) return `did you mean ${escapeLine(meant)}?`;
  return names.length === 0 ? "the table has no cluster yet" : `the table has ${listed(names)}`;
}

const mostListed = 10;

function listed(names: readonly string[]): string {
  const more = names.length > mostListed ? `, and ${names.length - mostListed} more` : "";
  return names.slice(0, mostListed).map(escapeLine).join(", ") + more;
}

const mostNamespaces = 10;

/** `known`: the namespaces of the chosen clusters' HPAs. */
export function missingNamespace(namespace: string, known: readonly string[]): string | undefined {
  if (known.includes(namespace)) return undefined;
  const words = `no HPA is in namespace ${escapeLine(namespace)}`;
  const meant = closest(namespace, known);
  if (meant !== undefined) return `${words}; did you mean ${escapeLine(meant)}?`;
  const listed = known.slice(0, mostNamespaces).map(escapeLine).join(", ");
  const more = known.length > mostNamespaces ? `, and ${known.length - mostNamespaces} more` : "";
  return known.length === 0 ? `${words}; there is none in any other` : `${words}; there are HPAs in ${listed}${more}`;
}
