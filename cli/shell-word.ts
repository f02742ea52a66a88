/** As one word of a shell, also when a kubeconfig's context is named "a; rm -r ~". */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
