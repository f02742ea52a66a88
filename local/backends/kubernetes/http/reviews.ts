import { fieldAt, isJsonObject, textAt } from "../resources/object";
import { badRequest, type FieldCause, invalidError, methodNotAllowed } from "../resources/status";
import { isAllowed, type User } from "./access";
import type { ResourceRequest } from "./requests";

type Answer = (user: User, spec: unknown) => unknown;

/** Every user may ask these about themselves (system:basic-user): `kubectl auth can-i` and `whoami`. */
const reviews: Readonly<Record<string, { readonly kind: string; readonly answer: Answer }>> = {
  "authorization.k8s.io/v1/selfsubjectaccessreviews": { kind: "SelfSubjectAccessReview", answer: accessOf },
  "authorization.k8s.io/v1/selfsubjectrulesreviews": { kind: "SelfSubjectRulesReview", answer: rulesOf },
  "authentication.k8s.io/v1/selfsubjectreviews": {
    kind: "SelfSubjectReview",
    answer: ({ name, groups = [] }) => ({ userInfo: { username: name, groups: [...groups, "system:authenticated"] } }),
  },
};

/** Undefined: no review. @throws 405 for anything but a POST */
export function reviewAt({ group, version, plural, name, placed, verb, strayed }: ResourceRequest) {
  const key = `${group}/${version}/${plural}`;
  if (!Object.hasOwn(reviews, key) || name !== "" || placed || strayed) return undefined;
  if (verb !== "create") throw methodNotAllowed(["POST"]);
  const review = reviews[key];
  return review && ((user: User, body: unknown) => reviewOf(review, user, body));
}

function reviewOf({ kind, answer }: (typeof reviews)[string], user: User, body: unknown): unknown {
  if (!isJsonObject(body)) throw badRequest(`expected a ${kind} as the body of the POST, got no object`);
  if (textAt(body, "kind") !== undefined && textAt(body, "kind") !== kind) {
    throw badRequest(`expected a ${kind} as the body of the POST, got ${textAt(body, "kind")}`);
  }
  const { apiVersion, spec = {} } = body;
  return { kind, ...(apiVersion !== undefined && { apiVersion }), metadata: {}, spec, status: answer(user, spec) };
}

function accessOf(user: User, spec: unknown): unknown {
  const path = fieldAt(spec, "nonResourceAttributes.path");
  if ((path === undefined) === (fieldAt(spec, "resourceAttributes") === undefined)) throw notOne();
  if (path !== undefined) return { allowed: false, reason: "this server keeps no rules for paths" };
  const text = (name: string) => textAt(spec, `resourceAttributes.${name}`) ?? "";
  const subresource = text("subresource");
  const allowed = isAllowed(user, {
    verb: text("verb"),
    subject: { group: text("group"), plural: text("resource") },
    ...(subresource === "" ? {} : { subresource }),
    namespace: text("namespace"),
    name: text("name"),
  });
  return { allowed, ...(allowed && { reason: "RBAC: allowed" }) };
}

function notOne() {
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  const cause: FieldCause = { field: "spec", type: "Invalid", value: null, detail };
  return invalidError({ group: "authorization.k8s.io", kind: "" }, "", [cause]);
}

/** For `kubectl auth can-i --list`. */
function rulesOf(user: User, spec: unknown): unknown {
  const namespace = textAt(spec, "namespace") ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const here = user.rules.filter(({ namespaces }) => namespaces === undefined || namespaces.includes(namespace));
  return {
    incomplete: false,
    nonResourceRules: [],
    resourceRules: here.map(({ verbs, apiGroups, resources }) => ({ verbs, apiGroups, resources })),
  };
}
