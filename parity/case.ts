/** As test/vectors/README.md says; an update is `{old, new}`, two documents. */
export type Kind = "decision" | "story" | "document" | "update";

export const kinds: readonly Kind[] = ["decision", "story", "document", "update"];

export interface Case {
  readonly kind: Kind;
  readonly given: unknown;
}

/** What one of the two says: an answer, or why it cannot read what is given, or that it crashed. */
export type Answer = { readonly expect: unknown } | { readonly unreadable: string } | { readonly crash: string };

/** Where two answers differ. A path is as in an error's text: conditions[1].message. */
export interface Difference {
  readonly path: string;
  readonly upstream: unknown;
  readonly ebb: unknown;
}
