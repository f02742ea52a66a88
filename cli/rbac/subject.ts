import type { UserInfo } from "../../lib/cluster/api/self-review";
import type { RbacSubject } from "./manifests";

/** The group that ebb's documents let ebb into. */
export const usualGroup = "ebb";

const apiGroup = "rbac.authorization.k8s.io";

interface Taste {
  /** On EKS, the name of a user is that of a session, so a group of the access entry goes before it. */
  readonly prefersGroups?: boolean;
}

/** What a Role must be bound to, so that the user has it: a group that ebb is in by intention, or the user itself. */
export function subjectOf({ username, groups }: UserInfo, { prefersGroups = false }: Taste = {}): RbacSubject {
  const usual = { apiGroup, kind: "Group", name: usualGroup } as const;
  // A superuser needs no Roles, so these are for another user, whom nobody has named.
  if (groups.includes(usualGroup) || groups.includes("system:masters")) return usual;
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  if (namespace !== undefined && account !== undefined) return { kind: "ServiceAccount", name: account, namespace };
  const own = prefersGroups ? groups.find((group) => !group.startsWith("system:")) : undefined;
  return own === undefined ? { apiGroup, kind: "User", name: username } : { apiGroup, kind: "Group", name: own };
}

/** The options of `ebb rbac` that name the subject; none for the usual group. */
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
