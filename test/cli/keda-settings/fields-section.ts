import { fieldOutcomes } from "./field-outcomes";

export const fieldsPage = "docs/how-to/migrate-from-keda.md";
const [begin, end] = ["<!-- prettier-ignore-start -->", "<!-- prettier-ignore-end -->"];

/** The page with its tables of every documented setting, from what the import does with it. */
export function withFields(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`expected ${begin} and ${end} in ${fieldsPage}`);
  return `${page.slice(0, before)}${begin}\n\n${fieldTables()}\n\n${page.slice(after)}`;
}

function fieldTables(): string {
  const head = ["KEDA", "becomes", "`ebb import keda` says"];
  return fieldOutcomes()
    .map(({ title, rows }) => {
      const cells = rows.map(({ field, becomes, says }) => [
        code(field),
        becomes.map((path) => (/[ ']/.test(path) ? `the ${path}` : code(path))).join(", "),
        says.map(escaped).join("; "),
      ]);
      return `### ${title}\n\n${table([head, head.map(() => "---"), ...cells])}`;
    })
    .join("\n\n");
}

/** Without padding, which would be most of the page. */
function table(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

const code = (text: string) => `\`${text}\``;

function escaped(text: string): string {
  return text.replace(/[<*[\]]/g, "\\$&");
}
