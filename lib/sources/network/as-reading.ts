import { errorText, isFault, Fault } from "../../model/fault";
import type { SourceQuery, SourceReading, ReadContext } from "../../model/ports/sources";

export interface FoundValue {
  readonly value: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Never rejects: an error is in the reading. */
export async function asReading(
  from: string,
  { metricName }: SourceQuery,
  { now }: ReadContext,
  read: () => Promise<readonly FoundValue[]>,
): Promise<SourceReading> {
  try {
    const timestamp = new Date(now).toISOString();
    const found = await read();
    return { items: found.map(({ value, labels }) => ({ metricName, metricLabels: labels, timestamp, value })) };
  } catch (error) {
    if (!isFault(error)) return { error: `unexpected: ${errorText(error)}`, from };
    return { error: error.message, from, ...(error.lack !== undefined && { lack: error.lack }) };
  }
}

export function badAnswer(message: string): Fault {
  return new Fault("badAnswer", message);
}

/** Without the byte order mark that Windows writes. */
export function textIn(body: Buffer): string {
  return body.toString("utf8").replace(/^\uFEFF/, "");
}

/** @throws Fault "badAnswer". */
export function jsonIn(body: Buffer): unknown {
  const text = textIn(body);
  try {
    return JSON.parse(text);
  } catch {
    throw badAnswer(`expected JSON, got ${kindOf(text)}`);
  }
}

/** Shows nothing of it, since it may hold anything. */
function kindOf(text: string): string {
  if (text.trim() === "") return "an empty answer";
  if (text.includes("\0")) return "text that is no UTF-8";
  if (/^\s*</.test(text)) return "HTML or XML";
  const [, word] = /(?:^|[:[,])\s{0,20}(-?(?:NaN|Infinity))\b/.exec(text) ?? [];
  return word === undefined ? "something else" : `${word}, which JSON does not have`;
}

const longest = 300;

/** A server's own words, fit for one line of a message. The client that sent a credential hides it in them. */
export function foreignWords(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .slice(0, longest)
    .trim();
}
