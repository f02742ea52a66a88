import { present } from "../../lib/k8s/map";
import type { JsonObject } from "../kubernetes/resources/object";

interface CustomKind {
  readonly group: string;
  readonly kind: string;
  /** Beyond the plural and the singular, which are the kind in lower case, with and without an s. */
  readonly names?: JsonObject;
  readonly columns?: readonly JsonObject[];
  readonly scalable?: boolean;
}

/** A CustomResourceDefinition of objects with any fields, and with /scale unless `scalable` is false. */
export function customKind({ group, kind, names = {}, columns, scalable = true }: CustomKind) {
  const singular = kind.toLowerCase();
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural: `${singular}s`, singular, ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { status: {}, ...(scalable && { scale }) },
          ...present({ additionalPrinterColumns: columns }),
        },
      ],
    },
  };
}
