import { isAllowed, type User } from "./access";
import { fieldAt, isFields, textAt } from "./object";
import type { ResourceRequest } from "./request";

/** Whether a user asks what they may do themselves: open to everybody who is known (system:basic-user). */
export function isAccessReview({ verb, group, version, plural }: ResourceRequest): boolean {
  return (
    verb === "create" && group === "authorization.k8s.io" && version === "v1" && plural === "selfsubjectaccessreviews"
  );
}

/** The SelfSubjectAccessReview, answered. Only resources are asked about here, no paths. */
export function reviewOwnAccess(user: User, body: unknown): unknown {
  const text = (name: string) => textAt(body, `spec.resourceAttributes.${name}`) ?? "";
  const subresource = text("subresource");
  const allowed = isAllowed(user, {
    verb: text("verb"),
    subject: { group: text("group"), plural: text("resource") },
    ...(subresource === "" ? {} : { subresource }),
    namespace: text("namespace"),
    name: text("name"),
  });
  return {
    ...(isFields(body) ? body : {}),
    spec: fieldAt(body, "spec"),
    metadata: {},
    status: { allowed, ...(allowed && { reason: "RBAC: allowed" }) },
  };
}
