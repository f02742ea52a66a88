import { StatusError, type StatusSubject, forbiddenError } from "../resources/status";

/** As in a ClusterRole. `namespaces` restricts it as a RoleBinding would. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  /** "deployments", "deployments/scale"; "*" + "/scale" for any scale. */
  readonly resources: readonly string[];
  readonly namespaces?: readonly string[];
}

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly token: string;
  readonly rules: readonly Rule[];
}

export const everything: Rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
export const readingEverything: Rule = { ...everything, verbs: ["get", "list", "watch"] };

/** The real server only lets it see that the server is up. */
export const anonymous: User = { name: "system:anonymous", token: "", rules: [] };

export interface Attributes {
  readonly verb: string;
  readonly subject: Pick<StatusSubject, "group" | "plural">;
  readonly subresource?: string | undefined;
  readonly namespace: string;
  readonly name: string;
}

const covers = (allowed: readonly string[], value: string): boolean => allowed.includes("*") || allowed.includes(value);

const resourceOf = (plural: string, part: string | undefined) => (part === undefined ? plural : `${plural}/${part}`);

export function isAllowed(user: User, { verb, subject, subresource, namespace }: Attributes): boolean {
  const resource = resourceOf(subject.plural, subresource);
  return user.rules.some(
    (rule) =>
      covers(rule.verbs, verb) &&
      covers(rule.apiGroups, subject.group) &&
      (covers(rule.resources, resource) ||
        (subresource !== undefined && rule.resources.includes(`*/${subresource}`))) &&
      (rule.namespaces === undefined || rule.namespaces.includes(namespace)),
  );
}

export function authorize(user: User, attributes: Attributes): void {
  if (isAllowed(user, attributes)) return;
  const { verb, subject, subresource, namespace, name } = attributes;
  const resource = resourceOf(subject.plural, subresource);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const what = `cannot ${verb} resource "${resource}" in API group "${subject.group}" ${where}`;
  throw forbiddenError(subject, name, `User "${user.name}" ${what}`);
}

const openPaths = ["/version", "/livez", "/readyz", "/healthz"];

/** Discovery is open to every known user. */
export function authorizePath(user: User, verb: string, path: string): void {
  if (user !== anonymous || openPaths.includes(path)) return;
  throw new StatusError(403, "Forbidden", `forbidden: User "${user.name}" cannot ${verb} path "${path}"`, {});
}
