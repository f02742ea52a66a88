import type { IncomingMessage } from "node:http";
import { StatusError } from "../resources/status";

export interface Accepted {
  readonly mediaType: "application/json" | "application/yaml";
  /** "Table", "PartialObjectMetadata", "APIGroupDiscoveryList"; absent: the object itself. */
  readonly as?: string;
}

export interface Form {
  readonly as: string;
  readonly g: string;
  readonly v: string;
}

/**
 * The first served form.
 * @throws 406 (apiserver, pkg/endpoints/handlers/negotiation)
 */
export function acceptedBy({ headers }: IncomingMessage, forms: readonly Form[] = []): Accepted {
  const header = (headers.accept ?? "").trim();
  for (const each of header === "" ? ["*/*"] : header.split(",")) {
    const [type = "", ...parts] = each.split(";").map((part) => part.trim());
    const mediaType = served.get(type.toLowerCase());
    const parameter = (name: string) => parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const as = parameter("as");
    if (mediaType === undefined) continue;
    if (as === undefined) return { mediaType };
    if (forms.some((form) => form.as === as && form.g === parameter("g") && form.v === parameter("v"))) {
      return { mediaType, as };
    }
  }
  const message = "only the following media types are accepted: application/json, application/yaml";
  throw new StatusError(406, "NotAcceptable", message);
}

const served = new Map<string, Accepted["mediaType"]>([
  ["*/*", "application/json"],
  ["application/json", "application/json"],
  ["application/yaml", "application/yaml"],
]);
