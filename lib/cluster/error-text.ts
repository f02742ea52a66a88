/** What a caught value says. Not by instanceof: errors of another realm (a worker, a sandbox) are errors, too. */
export function errorText(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
}
