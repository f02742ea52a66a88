/**
 * What kubectl says about an object that the API server refuses: on one line for one error, as a list for several, each error once.
 * `given` is the document; its name and kind are in the message as far as they can be read.
 */
export function invalidMessage(given: unknown, errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  const { kind, name } = nameOf(given);
  const subject = `The ${kind} ${JSON.stringify(name)} is invalid:`;
  return distinct.length === 1
    ? `${subject} ${distinct.join()}\n`
    : `${subject}\n${distinct.map((error) => `* ${error}\n`).join("")}`;
}

function nameOf(given: unknown): { readonly kind: string; readonly name: string } {
  const { kind, metadata } = (given ?? {}) as { readonly kind?: unknown; readonly metadata?: unknown };
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return {
    kind: typeof kind === "string" && kind !== "" ? kind : "HorizontalPodAutoscaler",
    name: typeof name === "string" ? name : "",
  };
}
