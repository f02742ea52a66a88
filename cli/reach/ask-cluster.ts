import type { ClusterEntry } from "../../lib/api/entries";
import { isFault } from "../../lib/api/errors";
import type { Entry } from "../../lib/table/entry";
import type { Reach } from "./open-reach";

/** Whether a cluster answers. `notAsked`: this machine lacks what it takes to ask, which says nothing about the functions. */
export type Reachable =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message: string }
  | { readonly kind: "notAsked"; readonly message: string };

/** A cluster that is there answers in a second, its credentials included; on a busy machine reading a kubeconfig alone takes a few. */
const patienceMs = 8_000;

/** One authenticated request, which every cluster allows. Never rejects for what a far end does. */
export async function askCluster(
  { clusters }: Pick<Reach, "clusters">,
  entry: Entry<ClusterEntry>,
  signal: AbortSignal,
): Promise<Reachable> {
  if ("invalid" in entry) return { kind: "notAsked", message: entry.invalid };
  const attributes = {
    verb: "get",
    group: "apps",
    resource: "deployments",
    subresource: "scale",
    namespace: "default",
  };
  const patience = AbortSignal.timeout(patienceMs);
  const limit = AbortSignal.any([signal, patience]);
  try {
    const cluster = await clusters.connect(entry.value, limit);
    await cluster.reviewAccess(attributes, limit);
    return { kind: "yes" };
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    if (patience.aborted) return { kind: "no", message: `no answer within ${patienceMs / 1000} s` };
    return { kind: isOurs(error) ? "notAsked" : "no", message: error.message };
  }
}

/** What went wrong before any server of the cluster's was asked: a secret, a kubeconfig or AWS credentials that are not to be had here. */
export function isOurs(error: unknown): boolean {
  return (
    isFault(error) &&
    error.status === undefined &&
    ["badEntry", "unauthorized", "forbidden", "notFound"].includes(error.kind)
  );
}
