import { isMap } from "../../k8s/map";
import { Fault } from "../../model/fault";
import type { EpochMs } from "../../k8s/time";
import type { ApiClient } from "./api-client";

export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace: string;
}

export interface AccessReview {
  readonly allowed: boolean;
  /** In whole seconds; absent if the server sent none. */
  readonly serverTime?: EpochMs;
}

/** Every authenticated user may create a SelfSubjectAccessReview (system:basic-user). Rejects with a Fault. */
export async function reviewAccess(
  api: ApiClient,
  attributes: AccessAttributes,
  signal: AbortSignal,
): Promise<AccessReview> {
  const [group, resource] = ["authorization.k8s.io", "selfsubjectaccessreviews"];
  const subject = { verb: "create", group, resource, path: `/apis/${group}/v1/${resource}` } as const;
  const body = {
    apiVersion: `${group}/v1`,
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: attributes },
  };
  let date: string | undefined;
  const onAnswer = (headers: { readonly date?: string | undefined }) => (date = headers.date);
  const review = await api({ method: "POST", subject, body, kinds: ["SelfSubjectAccessReview"], onAnswer }, signal);
  const status = isMap(review["status"]) ? review["status"] : {};
  const { allowed } = status;
  if (typeof allowed !== "boolean")
    throw new Fault(
      "badAnswer",
      `access review: expected status.allowed, true or false, got ${JSON.stringify(allowed)}`,
    );
  const serverTime = Date.parse(date ?? "");
  return { allowed, ...(Number.isNaN(serverTime) ? {} : { serverTime }) };
}

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
