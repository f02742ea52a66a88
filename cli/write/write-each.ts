import { isFault } from "../../lib/model/fault";
import type { EntryContent, EntryDocument, EntryRef } from "../../lib/model/ports/entries";
import { failureText, isFailure } from "../shell/failure";
import { eachInOrder } from "../shell/in-order";
import type { Session } from "../shell/session";
import { entryWarnings } from "./entry-warnings";
import { objectName, type Report } from "./report";

/** What a verb made of an entry, and what it says after the entry's name. */
export interface Outcome {
  readonly document: EntryDocument;
  readonly said: string;
}

/** How a verb writes one of its entries. */
export interface Step<T> {
  /** "applying" */
  readonly doing: string;
  readonly write: (one: T) => Promise<Outcome>;
  /** What is printed of a failure; default: failureText. */
  readonly explain?: (error: unknown, one: T) => string;
}

/** The writes of one command line. A failure of one entry is reported, and leaves the others. */
export interface Writes {
  /** The entries that were written, or would be. */
  readonly written: readonly EntryContent[];
  /** Writes some entries at the same time, and reports them in their order. */
  each<T extends { readonly ref: EntryRef }>(items: readonly T[], step: Step<T>): Promise<void>;
  /** A failure that no write had, in one line. */
  problem(text: string): void;
  /** Ends the report, and warns of what some entries do not work with. Returns the exit code. */
  end(entries?: readonly EntryContent[]): Promise<number>;
}

/** `isLate`: as kubectl's patch, it prints the failures at the end. */
export function openWrites(session: Session, report: Report, isLate = false): Writes {
  const { out } = session;
  const written: EntryContent[] = [];
  const problems: string[] = [];
  const problem = (text: string) => {
    problems.push(text);
    if (!isLate) out.note(...text.split("\n"));
  };
  return {
    written,
    problem,
    each: async (items, { doing, write, explain = failureText }) =>
      await eachInOrder(session, items, {
        doing: ({ ref }) => `${doing} ${objectName(ref)}`,
        call: write,
        done({ document, said }, { ref }) {
          written.push({ ref, document });
          report.done({ ref, document }, said);
        },
        failed(error, one) {
          if (!isOfOneEntry(error)) return false;
          problem(explain(error, one));
          return true;
        },
      }),
    async end(entries = []) {
      report.end();
      for (const warning of await entryWarnings(entries, session)) out.warn(warning);
      if (isLate) for (const text of problems) out.note(...text.split("\n"));
      return problems.length === 0 ? 0 : 1;
    },
  };
}

/** A conflict, an item that is too large, a lost reply: the next entry may still succeed. */
function isOfOneEntry(error: unknown): boolean {
  return isFailure(error) || isFault(error, "badEntry") || isFault(error, "lost");
}
