import { isFault } from "../../lib/model/fault";
import type { EntryContent, EntryDocument, EntryRef } from "../../lib/model/ports/entries";
import { failureText, isFailure } from "../shell/failure";
import { eachInOrder } from "../shell/in-order";
import type { Session } from "../shell/session";
import { entryWarnings } from "./entry-warnings";
import { objectName, type Report } from "./report";

/** `said` follows the entry's name. */
export interface Outcome {
  readonly document: EntryDocument;
  readonly said: string;
}

export interface Step<T> {
  readonly doing: string;
  readonly write: (one: T) => Promise<Outcome>;
  /** Default: failureText. */
  readonly explain?: (error: unknown, one: T) => string;
}

/** The writes of one command line. Reports an entry's failure, and continues. */
export interface Writes {
  /** In a dry run, those that would be written. */
  readonly written: readonly EntryContent[];
  /** Writes concurrently, reports in order. */
  each<T extends { readonly ref: EntryRef }>(items: readonly T[], step: Step<T>): Promise<void>;
  /** For a problem that is not a write's own. */
  problem(text: string): void;
  /** Also prints warnings. @returns the exit code */
  end(entries?: readonly EntryContent[]): Promise<number>;
}

/** `isLate`: failures at the end, like kubectl's patch. */
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

/** A conflict, a large item, a lost answer: the next entry may still succeed. */
function isOfOneEntry(error: unknown): boolean {
  return isFailure(error) || isFault(error, "badEntry") || isFault(error, "lost");
}
