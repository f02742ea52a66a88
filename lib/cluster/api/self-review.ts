import { isMap } from "../../k8s/map";
import { Fault } from "../../model/fault";
import type { ApiClient } from "./api-client";

export interface UserInfo {
  readonly username: string;
  readonly groups: readonly string[];
}

/**
 * authentication.k8s.io/v1 SelfSubjectReview, which every authenticated user may create (system:basic-user), since
 * Kubernetes 1.28. Rejects with a Fault.
 */
export async function reviewSelf(api: ApiClient, signal: AbortSignal): Promise<UserInfo> {
  const [group, resource] = ["authentication.k8s.io", "selfsubjectreviews"];
  const subject = { verb: "create", group, resource, path: `/apis/${group}/v1/${resource}` } as const;
  const body = { apiVersion: `${group}/v1`, kind: "SelfSubjectReview" };
  const review = await api({ method: "POST", subject, body, kinds: ["SelfSubjectReview"] }, signal);
  const status = isMap(review["status"]) ? review["status"] : {};
  const user = isMap(status["userInfo"]) ? status["userInfo"] : {};
  const { username, groups = [] } = user;
  if (typeof username !== "string" || !Array.isArray(groups))
    throw new Fault("badAnswer", "self review: expected status.userInfo with a username and groups");
  return { username, groups: groups.filter((one) => typeof one === "string") };
}
