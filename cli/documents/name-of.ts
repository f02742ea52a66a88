/** The kind and the name that a document gives itself, as far as they can be read. */
export function nameOf(given: unknown): { readonly kind: string; readonly name: string } {
  const { kind, metadata } = (given ?? {}) as { readonly kind?: unknown; readonly metadata?: unknown };
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return {
    kind: typeof kind === "string" && kind !== "" ? kind : "HorizontalPodAutoscaler",
    name: typeof name === "string" ? name : "",
  };
}
