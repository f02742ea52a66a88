const longest = 300;

/** A server's own words, fit for one line of a message. The client that sent a credential hides it in them. */
export function foreignWords(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .slice(0, longest)
    .trim();
}
