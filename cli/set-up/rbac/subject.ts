import type { ClusterAuth } from "../../../lib/model/entry/entries";
import type { Grant } from "../../shell/advice/rows/clusters";
import type { UserInfo } from "../../../lib/cluster/api/access-review";
import type { RbacSubject } from "./manifests";

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
