import { createHash } from "node:crypto";
import db from "dynalite/db";
import type { TableFiles } from "../files";
import { type Input, operationError } from "./operation";

/** DynamoDB knows a token for ten minutes after its transaction. */
const tokenMs = 10 * 60_000;

interface Made {
  readonly items: string;
  readonly until: number;
}

/** Of the process: a client that asks again after a kill has to sign with another credential anyway. */
const madeBy = new WeakMap<TableFiles, Map<string, Made>>();

export function tokenOf({ ClientRequestToken: token }: Input): string | undefined {
  if (token === undefined || token === null) return undefined;
  if (typeof token === "string" && token.length > 0 && token.length <= 36) return token;
  throw db.validationError(
    "1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: " +
      "Member must have length less than or equal to 36 and greater than or equal to 1",
  );
}

/** True if the transaction of this token was made: its client asks again, after a lost answer. */
export function isKnownToken(files: TableFiles, token: string, input: Input): boolean {
  const made = madeBy.get(files)?.get(token);
  if (made === undefined || made.until < Date.now()) return false;
  if (made.items === digestOf(input)) return true;
  throw operationError(
    "IdempotentParameterMismatchException",
    "The request uses the same client token as a previous, but non-identical request",
  );
}

export function rememberToken(files: TableFiles, token: string, input: Input): void {
  const all = madeBy.get(files) ?? new Map<string, Made>();
  madeBy.set(files, all);
  // In the order of their ends.
  for (const [old, { until }] of all) {
    if (until >= Date.now()) break;
    all.delete(old);
  }
  all.delete(token);
  all.set(token, { items: digestOf(input), until: Date.now() + tokenMs });
}

function digestOf({ TransactItems }: Input): string {
  return createHash("sha256").update(JSON.stringify(TransactItems)).digest("base64");
}
