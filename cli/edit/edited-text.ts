const intro = [
  "Please edit the object below. Lines beginning with a '#' will be ignored,",
  "and an empty file will abort the edit. If an error occurs while saving this file will be",
  "reopened with the relevant failures.",
  "",
];

/** What the editor shows, as kubectl has it: why it is shown again, if it is, and the object. */
export function editedText(body: string, problems: readonly string[]): string {
  const lines = [...intro, ...problems.flatMap((problem) => [...problem.split("\n"), ""])];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join("\n")}\n${body}`;
}

/** A text without its comments: what is compared, and what is shown again. */
export function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n");
}
