import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import type { IndexedKeys } from "../../model/ports/queue-reads";

/** Each begins with the quote that ends the key. Within a text, JSON has no quote without a backslash. */
const ofQueues = '":{"queues":[';
const ofMore = '":{"more":true';
const [quote, comma, openBracket, closeBracket, backslash] = [0x22, 0x2c, 0x5b, 0x5d, 0x5c];

/**
 * Looks for the hashes in the index's JSON without parsing it. A wake for a queue that each of 100 shards reads parses
 * 100,000 HPAs otherwise, which takes 250 ms of a full core.
 *
 * @param text as encodeIndex makes it: `{"shop/a":{"queues":[7,12]},"shop/b":{"more":true}}`
 */
export function keysIn(text: Buffer, hashes: readonly number[]): IndexedKeys {
  return {
    named: [...new Set(hashes.flatMap((hash) => [...keysWith(text, String(hash))]))],
    more: [...placesOf(text, ofMore)].map((at) => keyEndingAt(text, at)),
  };
}

function* keysWith(text: Buffer, digits: string): Generator<HpaKey> {
  let at = text.indexOf(digits);
  while (at !== -1) {
    const [before, after] = [text[at - 1], text[at + digits.length]];
    const isNumber = (before === comma || before === openBracket) && (after === comma || after === closeBracket);
    const opened = isNumber ? text.lastIndexOf(ofQueues, at) : -1;
    const closed = opened === -1 ? -1 : text.indexOf(closeBracket, opened + ofQueues.length);
    // Digits in a key are behind the list of the HPA before it.
    const isListed = closed > at;
    if (isListed) yield keyEndingAt(text, opened);
    at = text.indexOf(digits, isListed ? closed : at + digits.length);
  }
}

function* placesOf(text: Buffer, part: string): Generator<number> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) yield at;
}

/** `end`: of the quote that ends it. */
function keyEndingAt(text: Buffer, end: number): HpaKey {
  let start = text.lastIndexOf(quote, end - 1);
  while (start > 0 && isEscaped(text, start)) start = text.lastIndexOf(quote, start - 1);
  return asHpaKey(JSON.parse(text.toString("utf8", start, end + 1)) as string);
}

function isEscaped(text: Buffer, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}
