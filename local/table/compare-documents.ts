import { isDeepStrictEqual } from "node:util";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import db, { type Expression, type Operand } from "dynalite/db";

type Value = AttributeValue | undefined;

/**
 * Makes dynalite's `=` and `<>` compare maps and lists by content, as DynamoDB does. dynalite compares them by
 * identity. So a map of the request that equals the item's is replaced by the item's own.
 */
export function compareDocuments(): void {
  const { checkConditional } = db;
  if (compared.has(checkConditional)) return;
  db.checkConditional = (request, stored) => {
    if (request._condition) shareEqual(request._condition.expression, { M: stored ?? {} });
    return checkConditional(request, stored);
  };
  compared.add(db.checkConditional);
}

/** Each opened table asks for this, but the process has only one dynalite. */
const compared = new WeakSet<object>();

function shareEqual(expression: Expression, stored: AttributeValue): void {
  const operands = expression.args ?? [];
  for (const operand of operands) if (!isPath(operand)) shareEqual(operand, stored);
  if (expression.type !== "=" && expression.type !== "<>") return;
  const found = operands.filter(isPath).map((path) => valueAt(path, stored));
  for (const operand of operands) {
    const equal = found.find((value) => isDocument(value) && isDeepStrictEqual(value, operand));
    if (equal !== undefined) Object.assign(operand, equal);
  }
}

function valueAt(path: readonly (string | number)[], stored: AttributeValue): Value {
  return path.reduce<Value>((value, step) => (typeof step === "number" ? value?.L?.[step] : value?.M?.[step]), stored);
}

function isPath(operand: Operand): operand is readonly (string | number)[] {
  return Array.isArray(operand);
}

function isDocument(value: Value): boolean {
  return value?.M !== undefined || value?.L !== undefined;
}
