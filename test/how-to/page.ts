/**
 * A page of docs/how-to as what it asks its reader to do: files to write, commands to run, and the output that it
 * promises.
 *
 * - A `yaml` or `json` block whose first line is a comment with a file's name (`# hpa.yaml`) is that file.
 * - A `sh` block is run as it is; a `text` block right after it is its output. So is a `shell` block where its
 *   reader has more than Node.
 * - An HTML comment `<!-- test: … -->` is something that happens to the reader's cluster meanwhile: a command that is
 *   run, too.
 */
export type Step =
  | { readonly kind: "file"; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: "run"; readonly line: number; readonly script: string; readonly output?: string };

export function readPage(markdown: string, shells: readonly string[] = ["sh"]): readonly Step[] {
  const steps: Step[] = [];
  let lastRun: { readonly index: number; readonly end: number } | undefined;
  for (const block of blocksOf(markdown)) {
    const { language, text, line, end } = block;
    if (shells.includes(language)) {
      lastRun = { index: steps.length, end };
      steps.push({ kind: "run", line, script: text });
    } else if (language === "text" && lastRun !== undefined && isBlankBetween(markdown, lastRun.end, line)) {
      steps[lastRun.index] = { ...(steps[lastRun.index] as Extract<Step, { kind: "run" }>), output: text };
    } else if (language === "test") {
      steps.push({ kind: "run", line, script: text });
    } else {
      const name = /^(?:#|\/\/) (\S+\.\w+)\n/.exec(text)?.[1];
      if (name !== undefined) steps.push({ kind: "file", line, name, text });
    }
  }
  return steps;
}

/** A page that needs your own cluster says so at its top. */
export function needsCluster(markdown: string): boolean {
  return markdown.startsWith("<!-- followed on a real cluster -->\n");
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the opening fence, and of the closing one; from 1. */
  readonly line: number;
  readonly end: number;
}

function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const happening = /^<!-- test: (.*) -->$/.exec(line)?.[1];
    if (happening !== undefined)
      blocks.push({ language: "test", text: `${happening}\n`, line: index + 1, end: index + 1 });
    const language = /^```(\w+)$/.exec(line)?.[1];
    if (language === undefined) continue;
    const close = lines.indexOf("```", index + 1);
    if (close === -1) throw new Error(`line ${index + 1}: expected the block to be closed by a line of \`\`\``);
    blocks.push({ language, text: `${lines.slice(index + 1, close).join("\n")}\n`, line: index + 1, end: close + 1 });
    index = close;
  }
  return blocks;
}

/** An output block belongs to the commands above it when nothing but empty lines is between. */
function isBlankBetween(markdown: string, end: number, line: number): boolean {
  return markdown
    .split("\n")
    .slice(end, line - 1)
    .every((between) => between.trim() === "");
}

/**
 * Whether `got` is what the page shows: `…` matches any text within a line, and alone on a line for any number of
 * lines. Runs of spaces are equal: how wide a column is depends on what is in it.
 */
export function matches(shown: string, got: string): boolean {
  const pattern = shown
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*" : `${linePattern(line)}\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${got.trimEnd()}\n`);
}

function linePattern(line: string): string {
  return line
    .trimEnd()
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/ +/g, " +"))
    .join(".*")
    .concat(" *");
}
