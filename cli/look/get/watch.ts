import { formatTable } from "../../shell/print/get-row";
import { isFault } from "../../../lib/model/fault";
import type { Listing } from "../../../lib/read/find";
import type { Scope } from "../../../lib/read/found";
import type { Output } from "../../shell/output";
import { alignFor } from "../../shell/print/fit-columns";
import { printColumns } from "../../shell/print/custom-columns";
import { type DocumentFormat, nameLine, type Printable, printDocument } from "../../shell/print/output-format";
import type { Session } from "../../shell/session";

const pollMs = 2000;

export interface Watch {
  readonly session: Pick<Session, "out" | "pause" | "signal">;
  readonly look: () => Promise<readonly Listing[]>;
  readonly print: (changed: readonly Printable[]) => void;
  readonly showsDeleted: boolean;
}

/** Prints all objects, then each change, like kubectl. Warns and retries. Ends when the session's signal aborts. */
export async function watch({ session, look, print, showsDeleted }: Watch): Promise<void> {
  let before = new Map<string, Printable>();
  for (;;) {
    const now = await readable(session, look);
    if (now !== undefined) {
      const after = byPlace(now);
      print([...changed(before, after), ...(showsDeleted ? deleted(before, after) : [])]);
      before = after;
    }
    await session.pause(pollMs, session.signal);
  }
}

/** Undefined: the read failed, and a retry may succeed. */
async function readable<T>({ out }: Pick<Session, "out">, reading: () => Promise<T>): Promise<T | undefined> {
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

type ByPlace = ReadonlyMap<string, Printable>;

function changed(before: ByPlace, after: ByPlace): readonly Printable[] {
  const differs = ([place, { found }]: readonly [string, Printable]) => {
    const old = before.get(place);
    return old === undefined || seenIn(old.found) !== seenIn(found);
  };
  return [...after].filter(differs).map(([, printable]) => printable);
}

function seenIn({ object, compared = object }: Printable["found"]): string {
  return JSON.stringify(compared);
}

function deleted(before: ByPlace, after: ByPlace): readonly Printable[] {
  return [...before].filter(([place]) => !after.has(place)).map(([, printable]) => printable);
}

export interface RowStyle {
  readonly headers: boolean;
  readonly whole?: boolean;
  readonly headerOf: (scope: Scope) => readonly string[];
  readonly cellsOf: (printable: Printable) => readonly string[];
}

export function rowPrinter(out: Output, { headers, whole = false, headerOf, cellsOf }: RowStyle): Watch["print"] {
  let widest: readonly string[] = [];
  let hasHeader = !headers;
  return (changed) => {
    const [first] = changed;
    if (first === undefined) return;
    const header = headerOf(first.scope);
    if (widest.length === 0) widest = headers ? header : header.map(() => "");
    const rows = changed.map(cellsOf);
    const align = alignFor(whole ? undefined : out.terminal, header);
    const printed = formatTable(undefined, [...(hasHeader ? [] : [header]), ...rows, widest], align);
    out.write(printed.slice(0, printed.lastIndexOf("\n", printed.length - 2) + 1));
    widest = widest.map((cell, column) => longest([cell, ...rows.map((row) => row[column] ?? "")]));
    hasHeader = true;
  };
}

function longest(cells: readonly string[]): string {
  return cells.reduce((longer, cell) => (cell.length > longer.length ? cell : longer), "");
}

export function objectPrinter(out: Output, format: DocumentFormat, headers: boolean): Watch["print"] {
  let isFirst = true;
  return (changed) => {
    for (const one of changed) {
      if (format.kind === "yaml" && !isFirst) out.write("---\n");
      const hasHeaders = isFirst && headers;
      isFirst = false;
      if (format.kind === "name") out.write(nameLine(one));
      else if (format.kind === "columns") out.write(printColumns(format.columns, [one.found.object], hasHeaders));
      else out.write(printDocument(one.found.object, format, out));
    }
  };
}
