import { growingBuffer } from "../async/growing-buffer";

/** Above any object: etcd's limit for a request is 1.5 MB. */
const maxItemBytes = 2 * 1024 * 1024;

export interface Trim {
  readonly keep: (item: unknown) => unknown;
  /** Members that are left out unparsed, at any depth: a map becomes {}, a list []. `keep` reads none of them. */
  readonly unread?: readonly string[];
}

export interface SplitList {
  /** @throws SyntaxError for an item that is not JSON; RangeError for one that is larger than any object. */
  write(piece: Buffer): void;
  /** The document with {} for each object of its list. */
  rest(): Buffer;
}

export interface SplitListOptions {
  readonly onItem: (item: unknown) => void;
  readonly onRest: (piece: Buffer) => void;
  readonly unread?: Trim["unread"];
}

/**
 * Takes the objects of a list out of a JSON text while it arrives, so that a large list is never in memory as a whole.
 * It only finds where each object begins and ends; JSON.parse reads the objects and the rest, so together they accept
 * exactly what JSON.parse accepts.
 *
 *     {"kind":"PodList","items":[{"metadata":…},null,{"metadata":…}]}
 *                                └── onItem ──┘      └── onItem ──┘     rest: {"kind":"PodList","items":[{},null,{}]}
 *
 * An unread member is parsed nevertheless if its key arrives in two pieces, or has escapes.
 */
export function splitList({ onItem, onRest, unread = [] }: SplitListOptions): SplitList {
  const isUnread = keyFinder(unread);
  const rest = growingBuffer();
  const item = growingBuffer();
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inItems = false;
  let inItem = false;
  /** 0: not within an unread member. */
  let unreadDepth = 0;

  /** True if the array after `before` is the document's own `items`. */
  function startsItems(before: Buffer): boolean {
    const tail = before.subarray(-maxKeyBytes);
    return itemsKey.test(rest.bytes(maxKeyBytes - tail.length).toString("latin1") + tail.toString("latin1"));
  }

  function keep(piece: Buffer): void {
    onRest(piece);
    rest.append(piece);
  }

  function take(piece: Buffer): void {
    if (item.length + piece.length > maxItemBytes) throw new RangeError(`an item has more than ${maxItemBytes} bytes`);
    item.append(piece);
  }

  function finish(): void {
    const text = item.text();
    item.clear();
    onItem(JSON.parse(text));
  }

  return {
    write(piece) {
      const end = piece.length;
      let from = 0;
      let at = 0;
      let textFrom = -1;
      for (;;) {
        if (inString) {
          if (escaped) at += 1;
          while (at < end && piece[at] !== QUOTE) at += piece[at] === BACKSLASH ? 2 : 1;
          escaped = at > end;
          if (at >= end) break;
          inString = false;
          at += 1;
        }
        while (at < end && structural[piece[at] ?? 0] === 0) at += 1;
        if (at === end) break;
        const byte = piece[at];
        if (byte === QUOTE) {
          inString = true;
          textFrom = at + 1;
        } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          if (inItem) {
            if (unreadDepth === 0 && textFrom >= 0 && isUnread(piece, textFrom, at)) {
              take(piece.subarray(from, at + 1));
              unreadDepth = depth + 1;
            }
          } else if (byte === OPEN_BRACE && inItems && depth === 2) {
            keep(piece.subarray(from, at));
            rest.append(emptyObject);
            from = at;
            inItem = true;
          } else if (byte === OPEN_BRACKET && depth === 1) inItems = startsItems(piece.subarray(from, at));
          depth += 1;
        } else {
          depth -= 1;
          if (unreadDepth > 0 && depth < unreadDepth) {
            unreadDepth = 0;
            from = at;
          } else if (inItem && depth === 2) {
            take(piece.subarray(from, at + 1));
            finish();
            from = at + 1;
            inItem = false;
          } else if (depth === 1) inItems = false;
        }
        at += 1;
      }
      if (unreadDepth > 0) return;
      if (inItem) take(piece.subarray(from));
      else keep(piece.subarray(from));
    },
    rest() {
      if (inItem) rest.append(unfinished);
      return rest.bytes();
    },
  };
}

const maxKeyBytes = 64;
const itemsKey = /[{,]\s*"items"\s*:\s*$/;
const emptyObject = Buffer.from("{}");
/** Makes the rest no JSON: the text ended within an item. */
const unfinished = Buffer.from("{");
const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];

const structural = new Uint8Array(256);
for (const byte of [QUOTE, OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET]) structural[byte] = 1;

/** True if the text from `from` is one of the keys and its value begins at `to`, without a space. */
function keyFinder(keys: readonly string[]): (bytes: Buffer, from: number, to: number) => boolean {
  const byLength: (readonly Buffer[] | undefined)[] = [];
  for (const key of keys) byLength[key.length] = [...(byLength[key.length] ?? []), Buffer.from(key)];
  return (bytes, from, to) => {
    const candidates = byLength[to - from - 2];
    if (candidates === undefined || bytes[to - 1] !== COLON || bytes[to - 2] !== QUOTE) return false;
    return candidates.some((key) => key.every((byte, at) => bytes[from + at] === byte));
  };
}
