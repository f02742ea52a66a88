import { Fault } from "../../lib/model/fault";
import type { Target } from "../../lib/model/ports/cluster";

/** A kind that the fake cluster serves. */
export interface FakeKind {
  /** "" is the core group. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly hasScale: boolean;
}

export const deployments: FakeKind = { group: "apps", kind: "Deployment", plural: "deployments", hasScale: true };

export const builtInKinds: readonly FakeKind[] = [
  deployments,
  { group: "apps", kind: "StatefulSet", plural: "statefulsets", hasScale: true },
  { group: "apps", kind: "ReplicaSet", plural: "replicasets", hasScale: true },
  { group: "", kind: "ReplicationController", plural: "replicationcontrollers", hasScale: true },
  { group: "", kind: "Pod", plural: "pods", hasScale: false },
];

/** As messages name it: "deployments.apps". */
export const qualified = ({ group, plural }: FakeKind): string => (group === "" ? plural : `${plural}.${group}`);

/**
 * By group and kind, whatever the version; also by the kind in lower case, as upstream's mapper does. @throws Fault
 * notFound
 */
export function findKind(kinds: readonly FakeKind[], { apiVersion, kind }: Pick<Target, "apiVersion" | "kind">) {
  const parts = (apiVersion ?? "").split("/");
  const group = parts.length === 2 ? parts[0] : "";
  const found = kinds.find((one) => one.group === group && [one.kind, one.kind.toLowerCase()].includes(kind));
  if (found !== undefined) return found;
  throw new Fault("notFound", `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
}
