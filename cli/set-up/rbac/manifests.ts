import type { Right } from "../../../lib/read/required-permissions";
import { type RbacRule, rulesOf } from "./rules";

export type RbacSubject =
  | { readonly apiGroup: "rbac.authorization.k8s.io"; readonly kind: "Group" | "User"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly name: string; readonly namespace: string };

export type Manifest = Readonly<Record<string, unknown>> & { readonly kind: string };

interface Granted {
  readonly name: string;
  readonly subject: RbacSubject;
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const labels = { "app.kubernetes.io/name": "ebb" };

/** Permissions without a namespace get a ClusterRole. */
export function namespacedManifests(
  byNamespace: ReadonlyMap<string, readonly Right[]>,
  granted: Granted,
): readonly Manifest[] {
  return [...byNamespace].flatMap(([namespace, rights]) => {
    if (namespace !== "")
      return pair("Role", rulesOf(rights), { ...granted, metadata: { name: granted.name, namespace, labels } });
    // The ClusterRole of `--cluster-wide` has the other name, and grants more.
    const name = `${granted.name}-definitions`;
    return pair("ClusterRole", rulesOf(rights), { ...granted, name, metadata: { name, labels } });
  });
}

export function clusterWideManifests(
  byNamespace: ReadonlyMap<string, readonly Right[]>,
  granted: Granted,
): readonly Manifest[] {
  const rights = [...byNamespace.values()].flat();
  return pair("ClusterRole", rulesOf(rights), { ...granted, metadata: { name: granted.name, labels } });
}

function pair(
  kind: "Role" | "ClusterRole",
  rules: readonly RbacRule[],
  { name, subject, metadata }: Granted & { readonly metadata: object },
): readonly Manifest[] {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects: [subject] },
  ];
}
