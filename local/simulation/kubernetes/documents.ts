import type { Random } from "../random";
import type { Fields, KubernetesObject } from "./object";
import { isFields, textAt } from "./object";
import type { Resource } from "./resources";
import { groupVersion } from "./resources";
import { badRequest } from "./status";

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A request's body as an object of the kind that its URL names. */
export function decode(resource: Resource, body: unknown): KubernetesObject {
  if (!isFields(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: ` +
        `expected an object (${Buffer.from(JSON.stringify(body ?? ""))
          .toString("hex")
          .slice(0, 60)})`,
    );
  }
  const { apiVersion, kind } = fieldsOf(body);
  const expected = groupVersion(resource);
  if ((apiVersion ?? expected) !== expected || (kind ?? resource.kind) !== resource.kind) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}, Kind=${String(kind)}) does not match the expected API version ` +
        `(${expected}, Kind=${resource.kind})`,
    );
  }
  const metadata = fieldsOf(body["metadata"]);
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
