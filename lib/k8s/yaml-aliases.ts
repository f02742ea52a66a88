/** A manifest has a few. The parser compares each alias with every anchor and alias before it. */
const most = 2_000;
/** Finds candidates before the text is parsed, also within quotes and comments. */
const anchorOrAlias = /(?:^|[\s,[{:?-])(?!&&\s|\*\*\s)[&*][^\s,[\]{}]/g;

/** Undefined: few enough anchors and aliases. */
export function aliasProblem(text: string): string | undefined {
  let count = 0;
  anchorOrAlias.lastIndex = 0;
  while (anchorOrAlias.test(text)) count += 1;
  if (count <= most) return undefined;
  return `expected at most ${most} anchors and aliases, got ${count} (a limit of ebb): write out what they repeat, or split the file`;
}
