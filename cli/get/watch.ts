import { formatTable } from "../../lib/k8s/printing/get-row";
import { isFault } from "../../lib/model/fault";
import type { Listing } from "../../lib/read/find";
import type { ResourceQuery } from "../resources/parse-targets";
import type { Session } from "../session";
import { cellsOf, headerOf, type TableStyle } from "./columns";
import type { GetOptions } from "./get-options";
import { printColumns } from "../print/custom-columns";
import type { OutputFormat } from "../print/output-format";
import { nameLine, type Printable, printDocument } from "../print/print-objects";
import { read } from "./read";

/** How often to read the table; a sync period is 15 s. */
const pollMs = 2000;

export interface Watch {
  readonly session: Session;
  readonly targets: readonly ResourceQuery[];
  readonly options: GetOptions;
  readonly format: OutputFormat;
  readonly style: TableStyle;
}

/**
 * Prints what it finds, then each object that is new, changed or deleted, as kubectl does: with the columns as wide as
 * before. When the table cannot be reached, it warns and tries again. Ends when the session's signal aborts.
 */
export async function watch(given: Watch): Promise<void> {
  const { session, targets, options } = given;
  const printer = given.format.kind === "table" ? rowPrinter(given) : objectPrinter(given);
  let before = new Map<string, Printable>();
  for (;;) {
    const now = await readable(session, () => read(session, targets, options));
    if (now !== undefined) {
      const after = byPlace(now);
      printer(changes(before, after));
      before = after;
    }
    await session.pause(pollMs, session.signal);
  }
}

/** undefined: the read failed, and a retry may succeed. */
async function readable<T>({ out }: Session, reading: () => Promise<T>): Promise<T | undefined> {
  try {
    return await reading();
  } catch (error) {
    if (!isFault(error) || !error.retryable) throw error;
    out.warn(error.message);
    return undefined;
  }
}

function byPlace(findings: readonly Listing[]): Map<string, Printable> {
  const all = findings.flatMap(({ scope, found }) => found.map((one): Printable => ({ scope, found: one })));
  return new Map(all.map((one) => [placeOf(one), one]));
}

function placeOf({ scope, found: { cluster, namespace, name } }: Printable): string {
  return JSON.stringify([scope.resource.name, cluster, namespace, name]);
}

/** New and changed objects, then deleted ones as last seen. */
function changes(before: ReadonlyMap<string, Printable>, after: ReadonlyMap<string, Printable>): readonly Printable[] {
  const changed = [...after].filter(([place, { found }]) => {
    const old = before.get(place);
    return old === undefined || JSON.stringify(old.found.object) !== JSON.stringify(found.object);
  });
  const gone = [...before].filter(([place]) => !after.has(place));
  return [...changed, ...gone].map(([, printable]) => printable);
}

function rowPrinter({ session, style }: Watch): (changed: readonly Printable[]) => void {
  // Formats the widest row so far along with the new ones, without printing it, so that columns keep their width.
  let widest: readonly string[] = [];
  let hasHeader = !style.headers;
  return (changed) => {
    const [first] = changed;
    if (first === undefined) return;
    const header = headerOf(first.scope, style);
    if (widest.length === 0) widest = style.headers ? header : header.map(() => "");
    const rows = changed.map(({ scope, found }) => cellsOf(found, scope, style));
    const printed = formatTable(undefined, [...(hasHeader ? [] : [header]), ...rows, widest]);
    session.out.write(printed.slice(0, printed.lastIndexOf("\n", printed.length - 2) + 1));
    widest = widest.map((cell, column) => longest([cell, ...rows.map((row) => row[column] ?? "")]));
    hasHeader = true;
  };
}

function longest(cells: readonly string[]): string {
  return cells.reduce((longer, cell) => (cell.length > longer.length ? cell : longer), "");
}

function objectPrinter({ session, format, style }: Watch): (changed: readonly Printable[]) => void {
  let isFirst = true;
  return (changed) => {
    for (const one of changed) {
      if (format.kind === "yaml" && !isFirst) session.out.write("---\n");
      const headers = isFirst && style.headers;
      isFirst = false;
      if (format.kind === "name") session.out.write(nameLine(one));
      else if (format.kind === "columns") session.out.write(printColumns(format.columns, [one.found.object], headers));
      else if (format.kind !== "table") session.out.write(printDocument(one.found.object, format));
    }
  };
}
