/** The labels of whatever somebody wrote. */
export function labelsOf(document: unknown): Readonly<Record<string, string>> {
  const { labels } = ((document as { readonly metadata?: unknown } | null)?.metadata ?? {}) as { labels?: unknown };
  if (typeof labels !== "object" || labels === null) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
