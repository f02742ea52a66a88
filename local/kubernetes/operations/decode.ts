import type { Random } from "../../random";
import { groupVersion, type ResourceKind } from "../resources/kinds";
import { type KubernetesObject, isJsonObject, jsonObjectOf, textAt } from "../resources/object";
import { badRequest } from "../resources/status";

/** A request's body as an object of the kind that its URL names. */
export function decode(resource: ResourceKind, body: unknown): KubernetesObject {
  if (!isJsonObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: ` +
        `expected an object (${Buffer.from(JSON.stringify(body ?? ""))
          .toString("hex")
          .slice(0, 60)})`,
    );
  }
  const { apiVersion, kind } = jsonObjectOf(body);
  const expected = groupVersion(resource);
  if ((apiVersion ?? expected) !== expected || (kind ?? resource.kind) !== resource.kind) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}, Kind=${String(kind)}) does not match the expected API version ` +
        `(${expected}, Kind=${resource.kind})`,
    );
  }
  const metadata = jsonObjectOf(body["metadata"]);
  return {
    ...body,
    apiVersion: expected,
    kind: resource.kind,
    metadata: { ...metadata, name: textAt(body, "metadata.name") ?? "" } as KubernetesObject["metadata"],
  };
}

export function withName(object: KubernetesObject, random: Random): KubernetesObject {
  const prefix = textAt(object, "metadata.generateName");
  if (object.metadata.name !== "" || prefix === undefined) return object;
  return { ...object, metadata: { ...object.metadata, name: prefix + random.suffix(5) } };
}
