import { events, namespaces, pods, replicationControllers, type ResourceKind } from "./kinds";
import { fieldAt } from "./object";
import { badRequest } from "./status";

const everywhere = ["metadata.name", "metadata.namespace"];
const ofPods = ["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName"];
const ofEvents = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** pkg/apis/core/v1/conversion.go */
const fieldsByKind = new Map<ResourceKind, readonly string[]>([
  [namespaces, ["metadata.name", "status.phase"]],
  [pods, [...everywhere, ...ofPods, "status.phase", "status.podIP", "status.nominatedNodeName"]],
  [
    events,
    [...everywhere, ...ofEvents.map((field) => `involvedObject.${field}`), "reason", "type", "reportingComponent"],
  ],
  [replicationControllers, [...everywhere, "status.replicas"]],
]);

/** `metadata.name=web,involvedObject.uid!=…`. @throws 400 */
export function parseFieldSelector(text: string, resource: ResourceKind): (object: unknown) => boolean {
  const terms = text
    .split(",")
    .filter((term) => term !== "")
    .map((term) => {
      const match = /^(.*?)(==|=|!=)(.*)$/.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, path = "", operator, value = ""] = match;
      return { path, equal: operator !== "!=", value };
    });
  for (const { path } of terms) requireField(path, resource);
  return (object) => terms.every(({ path, equal, value }) => (textOf(fieldAt(object, path)) === value) === equal);
}

function requireField(path: string, resource: ResourceKind): void {
  const own = fieldsByKind.get(resource);
  if ((own ?? everywhere).includes(path)) return;
  if (own !== undefined || resource.custom !== undefined) throw badRequest(`field label not supported: ${path}`);
  const known = everywhere.map((field) => JSON.stringify(field)).join(", ");
  throw badRequest(`${JSON.stringify(path)} is not a known field selector: only ${known}`);
}

const textOf = (value: unknown): string =>
  typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
