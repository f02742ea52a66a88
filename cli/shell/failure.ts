import { escapeLine, escapeTerminal } from "../../lib/k8s/escape-terminal";
import { kinds } from "../../lib/model/entry/kinds";
import type { EntryRef } from "../../lib/model/ports/entries";

/** Exit code 1, or 2 for `ebb diff`, like kubectl. */
export type Failure = Error & { readonly exitCode: number };

export function failure(message: string, exitCode = 1): Failure {
  return Object.assign(new Error(message), { exitCode });
}

/** `Error from server (NotFound): clusters.ebb.dev "x" not found`. */
export function serverFailure(
  reason: "AlreadyExists" | "BadRequest" | "Conflict" | "Invalid" | "NotFound",
  message: string,
): Failure {
  return failure(`Error from server (${reason}): ${message}`);
}

/** In kubectl's words, of the API server's errors. */
export function invalidFailure({ kind, name }: Pick<EntryRef, "kind" | "name">, errors: readonly string[]): Failure {
  const texts = [...new Set(errors)];
  const [only = "", ...more] = texts;
  const listed = more.length === 0 ? only : texts.map((text) => `\n* ${text}`).join("");
  return failure(`The ${kind} ${JSON.stringify(name)} is invalid: ${listed}`);
}

export type EntryFailure = Failure & { readonly reason: EntryReason; readonly ref: EntryRef };

type EntryReason = "AlreadyExists" | "Conflict" | "NotFound";

export function entryFailure(reason: EntryReason, ref: EntryRef): EntryFailure {
  return Object.assign(entryRefusal(reason, ref), { reason, ref });
}

function entryRefusal(reason: EntryReason, { kind, name }: EntryRef): Failure {
  const object = `${kinds[kind].plural} "${escapeLine(name)}"`;
  const modified = "the object has been modified; please apply your changes to the latest version and try again";
  switch (reason) {
    case "AlreadyExists":
      return serverFailure(reason, `${object} already exists`);
    case "NotFound":
      return serverFailure(reason, `${object} not found`);
    case "Conflict":
      return serverFailure(reason, `Operation cannot be fulfilled on ${object}: ${modified}`);
  }
}

export function isEntryFailure(error: unknown): error is EntryFailure {
  return isFailure(error) && "reason" in error && "ref" in error;
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof Error && "exitCode" in error && typeof error.exitCode === "number";
}

const begun = /^(error: |Error from server|The request is invalid|The \w+ "[^"\n]*" is invalid: )/;

/** Like kubectl: after "error: ", unless the message already starts like one of its own. */
export function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = begun.test(message) ? message : `error: ${message}`;
  // Only the command's own messages have several lines.
  return isFailure(error) ? escapeTerminal(text) : escapeLine(text);
}
