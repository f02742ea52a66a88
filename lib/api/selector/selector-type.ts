import type { Requirement } from "./requirement";

/** All of the requirements (sorted by key; none select everything), or no object at all. */
export type Selector =
  { readonly kind: "requirements"; readonly requirements: readonly Requirement[] } | { readonly kind: "nothing" };
