/** A description as Markdown: escapes special characters, and links sources and files of this repository. */
export function cellText(text: string): string {
  return text
    .replace(/[<*]/g, "\\$&")
    .replace(/Source: (https:\S+)/, "[Source]($1)")
    .replace(/(?<![\w/])docs\/(\S+\.md)/g, "[$1]($1)")
    .replace(/(?<![\w/])((?:infra|examples)\/\S+\.\w+)/g, "[$1](../$1)");
}

export function code(text: string): string {
  return `\`${text}\``;
}
