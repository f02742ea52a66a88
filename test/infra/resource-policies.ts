import { allowing, type Call, listOf, type Statement } from "./iam";

/** A role with its own policies. */
export interface Role {
  readonly arn: string;
  readonly statements: readonly Statement[];
}

/** A policy that the called resource has. */
export interface ResourcePolicy {
  /** Without a grant in its own policy, nobody uses a key or assumes a role. A queue needs none in its own account. */
  readonly of: "queue" | "key" | "role";
  /** The resource's account. */
  readonly account: string;
  readonly statements: readonly Statement[];
}

/**
 * Whether AWS lets the role call a resource that has a policy. By
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html:
 *
 * - in another account, the role's policies and the resource's must both allow it;
 * - in the same account, a resource's policy that names the role is enough, and one that names the account leaves the
 *   decision to the role's own policies;
 * - a key and a role are closed to every role that their policies do not name.
 */
export function isAuthorized({ arn, statements }: Role, call: Call, policy: ResourcePolicy): boolean {
  const account = accountOf(arn);
  const byRole = allowing(statements, call).length > 0;
  const named = allowing(policy.statements, call).flatMap(({ Principal }) => listOf(Principal?.AWS ?? []));
  const namesRole = named.includes(arn);
  const namesAccount = named.some((one) => one === account || /^arn:[^:]+:iam::(\d+):root$/.exec(one)?.[1] === account);
  if (named.some((one) => one.includes("*"))) throw new Error(`expected principals by name, got ${named.join()}`);
  if (account !== policy.account) return byRole && (namesRole || namesAccount);
  return namesRole || (byRole && (namesAccount || policy.of === "queue"));
}

function accountOf(arn: string): string {
  return arn.split(":")[4] ?? "";
}
