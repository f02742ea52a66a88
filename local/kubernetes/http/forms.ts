import type { Clock } from "../../clock";
import type { KubernetesObject } from "../resources/object";
import type { ResourceKind } from "../resources/kinds";
import type { Accepted, Form } from "./accept";
import type { ObjectList } from "./lists";
import { tableOf } from "./tables";

const meta = { g: "meta.k8s.io", v: "v1" };
const table: Form = { as: "Table", ...meta };

/** What clients may ask for instead of an object, or of a list. */
export const objectForms: readonly Form[] = [table, { as: "PartialObjectMetadata", ...meta }];
export const listForms: readonly Form[] = [table, { as: "PartialObjectMetadataList", ...meta }];

interface Shown {
  readonly resource: ResourceKind;
  readonly query: URLSearchParams;
  readonly clock: Clock;
}

/** The object itself, its metadata alone, or the Table that kubectl asks for. */
export function objectInForm({ as }: Accepted, object: KubernetesObject, shown: Shown): unknown {
  if (as === "PartialObjectMetadata") return metadataOf(object);
  return as === "Table" ? tableIn(shown, [object], { resourceVersion: object.metadata.resourceVersion }) : object;
}

export function listInForm({ as }: Accepted, list: ObjectList, shown: Shown): unknown {
  if (as === "Table") return tableIn(shown, list.items, list.metadata);
  if (as !== "PartialObjectMetadataList") return list;
  const { metadata, items } = list;
  return { kind: as, apiVersion: "meta.k8s.io/v1", metadata, items: items.map(metadataOf) };
}

const metadataOf = ({ metadata }: KubernetesObject) => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata,
});

function tableIn({ resource, query, clock }: Shown, objects: readonly KubernetesObject[], metadata: unknown): unknown {
  const wholeObjects = query.get("includeObject") === "Object";
  return { ...tableOf(resource, objects, { now: clock.now(), definitions: true, wholeObjects }), metadata };
}
