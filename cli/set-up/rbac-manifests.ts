import type { Right } from "../../lib/read/required-permissions";
import { type RbacRule, rulesOf } from "./rbac-rules";
import type { ClusterAuth } from "../../lib/model/entry/entries";
import type { Grant } from "../shell/advice/clusters";
import type { UserInfo } from "../../lib/cluster/api/access-review";

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

export const usualGroup = "ebb";

const apiGroup = "rbac.authorization.k8s.io";

/** The group ebb if the user is in it, else the user. */
export function subjectOf({ username, groups }: UserInfo): RbacSubject {
  // A superuser needs no Roles, so these are for another user.
  if (groups.includes(usualGroup) || groups.includes("system:masters"))
    return { apiGroup, kind: "Group", name: usualGroup };
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  if (namespace !== undefined && account !== undefined) return { kind: "ServiceAccount", name: account, namespace };
  return { apiGroup, kind: "User", name: username };
}

/**
 * On EKS, the user name contains the session, so the permissions go to a group of the access entry: one that it has, or
 * the group ebb.
 */
export function granteeOf(user: UserInfo, auth: ClusterAuth): Omit<Grant, "cluster"> {
  const subject = subjectOf(user);
  if (auth.type !== "eks" || subject.kind === "Group") return { subject: subjectOptions(subject) };
  const own = user.groups.find((group) => !group.startsWith("system:"));
  if (own !== undefined) return { subject: ["--group", own] };
  const [, partition, account, role] = sessionForm.exec(user.username) ?? [];
  const session = role === undefined ? undefined : `arn:${partition}:iam::${account}:role/${role}`;
  const roleArn = auth.roleArn ?? session;
  return roleArn === undefined ? { subject: subjectOptions(subject) } : { subject: [], role: { eks: auth, roleArn } };
}

const sessionForm = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([^/]+)\//;

/** Empty for the usual group. */
export function subjectOptions(subject: RbacSubject): readonly string[] {
  switch (subject.kind) {
    case "ServiceAccount":
      return ["--service-account", `${subject.namespace}/${subject.name}`];
    case "User":
      return ["--user", subject.name];
    case "Group":
      return subject.name === usualGroup ? [] : ["--group", subject.name];
  }
}
