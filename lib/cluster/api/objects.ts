import { isMap } from "../../k8s/map";
import { shown } from "../../model/check/problem";
import { Fault } from "../../model/fault";
import type { ObjectReference } from "../../model/ports/cluster";
import type { ApiClient, ApiObject } from "./api-client";
import { groupOf } from "./discovery";

/** An object takes 1.5 MiB in etcd at most, and more as JSON. */
const MAX_BYTES = 3 * 1024 * 1024;

/** One object, whole. Rejects with a Fault. */
export async function getObject(
  api: ApiClient,
  { apiVersion, resource, namespace, name }: ObjectReference,
  signal: AbortSignal,
): Promise<ApiObject> {
  const group = groupOf(apiVersion);
  const segments = [...apiVersion.split("/"), "namespaces", namespace, resource, name].map(encodeURIComponent);
  const path = `/${group === "" ? "api" : "apis"}/${segments.join("/")}`;
  const subject = { verb: "get", group, resource, namespace, name, path } as const;
  const object = await api(
    { method: "GET", subject, large: true, maxBytes: MAX_BYTES, kinds: "any", fate: path },
    signal,
  );
  const { metadata } = object;
  if (!isMap(metadata) || metadata["name"] !== name)
    throw new Fault("badAnswer", `${path}: expected the object ${name}, got ${shown(object)}`);
  return object;
}
