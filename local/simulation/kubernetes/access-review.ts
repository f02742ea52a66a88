import type { User } from "./access";
import { isAllowed } from "./access";
import type { ServedGroup } from "./discovery";
import { textAt } from "./object";

/** SelfSubjectAccessReview: what `kubectl auth can-i` asks. */
export const authorizationGroup: ServedGroup = {
  name: "authorization.k8s.io",
  versions: [
    {
      version: "v1",
      resources: [
        {
          ...{ name: "selfsubjectaccessreviews", singularName: "selfsubjectaccessreview", namespaced: false },
          ...{ kind: "SelfSubjectAccessReview", verbs: ["create"] },
        },
      ],
    },
  ],
};

export const accessReviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

export function reviewAccess(user: User, review: unknown): unknown {
  const attribute = (name: string): string => textAt(review, `spec.resourceAttributes.${name}`) ?? "";
  const subresource = attribute("subresource");
  const allowed = isAllowed(user, {
    verb: attribute("verb"),
    subject: { group: attribute("group"), plural: attribute("resource") },
    subresource: subresource === "" ? undefined : subresource,
    namespace: attribute("namespace"),
    name: attribute("name"),
  });
  return {
    ...(review as Record<string, unknown>),
    kind: "SelfSubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    status: { allowed, ...(!allowed && { reason: "no rule allows it" }) },
  };
}
