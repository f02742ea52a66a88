/** The parser compares each alias with all before it. */
const most = 2_000;
/** Candidates, also within quotes and comments. */
const anchorOrAlias = /(?:^|[\s,[{:?-])(?!&&\s|\*\*\s)[&*][^\s,[\]{}]/g;

export function aliasProblem(text: string): string | undefined {
  let count = 0;
  anchorOrAlias.lastIndex = 0;
  while (anchorOrAlias.test(text)) count += 1;
  if (count <= most) return undefined;
  return `expected at most ${most} anchors and aliases, got ${count} (a limit of ebb): write out what they repeat, or split the file`;
}
