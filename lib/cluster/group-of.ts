import { Fault } from "../api/errors";

/** The API group of an apiVersion; "" for the core group ("v1", or none at all). Source: schema.ParseGroupVersion. */
export function groupOf(apiVersion: string | undefined): string {
  const parts = (apiVersion ?? "").split("/");
  if (parts.length > 2 && apiVersion !== "/")
    throw new Fault("badEntry", `unexpected GroupVersion string: ${apiVersion}`);
  return parts.length === 2 ? (parts[0] ?? "") : "";
}
