/** As one word of a POSIX shell, also when a kubeconfig's context is named "a; rm -r ~". */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
