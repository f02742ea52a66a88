import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Item } from "./items/attributes";

/** DynamoDB's limit for an item: 400 KB, attribute names included. */
export const maxItemBytes = 400 * 1024;

/**
 * Bytes as DynamoDB counts them, counted before the write: for an item that is too large, the service answers with a
 * ValidationException that only its text distinguishes. Source:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  let sum = 0;
  for (const name of Object.keys(item)) sum += Buffer.byteLength(name) + valueBytes(item[name] as AttributeValue);
  return sum;
}

/** Lists and maps take 3 bytes, and 1 more for each element or pair. */
function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.L !== undefined) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  if (value.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, number) => sum + numberBytes(number), 0);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.BS !== undefined) return value.BS.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  return 1;
}

/**
 * About one byte for two significant digits, and one more: 1700000000000 (2 significant digits) has 2, 1700000012345
 * has 8.
 */
function numberBytes(text: string): number {
  const significant = text.replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
  return Math.ceil(significant.length / 2) + 1;
}
