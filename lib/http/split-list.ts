import { growingBuffer } from "../async/growing-buffer";

/** An item of a list that is larger than any object: etcd's limit for a request is 1.5 MB. */
const maxItemBytes = 2 * 1024 * 1024;

export interface SplitList {
  /** @throws SyntaxError for an item that is not JSON; RangeError for one that is larger than any object. */
  write(piece: Buffer): void;
  /** The document without the objects of its list, each as {}. */
  rest(): Buffer;
}

/**
 * Takes the objects of a list (`{"items": [{…}, {…}]}`) out of a JSON text while it arrives, so that a large list is
 * never in memory as a whole. It only finds where each object begins and ends; JSON.parse reads the object and the
 * rest, so together they accept exactly what JSON.parse accepts of the whole text.
 *
 *     {"kind":"PodList","items":[{"metadata":…},null,{"metadata":…}]}
 *                                └── onItem ──┘      └── onItem ──┘     rest: {"kind":"PodList","items":[{},null,{}]}
 *
 * Nobody here reads an object's `metadata.managedFields`, which is often half of the object. It is left out before
 * JSON.parse, unless its key came in two pieces.
 */
export function splitList(onItem: (item: unknown) => void, onRest: (piece: Buffer) => void): SplitList {
  const rest = growingBuffer();
  const item = growingBuffer();
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inItems = false;
  let inItem = false;
  let inUnread = false;

  /** Whether the array that begins after `before` is the document's own member `items`. */
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
    const text = item.bytes().toString("utf8");
    item.clear();
    onItem(JSON.parse(text));
  }

  return {
    write(piece) {
      let from = 0;
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at];
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) inString = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          if (byte === OPEN_BRACE && inItems && depth === 2) {
            keep(piece.subarray(from, at));
            rest.append(emptyObject);
            from = at;
            inItem = true;
          } else if (byte === OPEN_BRACKET && depth === 1) inItems = startsItems(piece.subarray(from, at));
          else if (byte === OPEN_BRACKET && inItem && depth === 4 && endsWithUnread(piece.subarray(from, at))) {
            take(piece.subarray(from, at));
            take(emptyArray);
            inUnread = true;
          }
          depth += 1;
        } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          depth -= 1;
          if (inUnread && depth === 4) {
            from = at + 1;
            inUnread = false;
          } else if (inItem && depth === 2) {
            take(piece.subarray(from, at + 1));
            finish();
            from = at + 1;
            inItem = false;
          } else if (depth === 1) inItems = false;
        }
      }
      if (inUnread) return;
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
/** As an API server writes it. After any other byte, the quote may be part of another key. */
const unreadKeys = ['{"managedFields":', ',"managedFields":'].map((text) => Buffer.from(text));
const emptyArray = Buffer.from("[]");
/** The text ended within an item: makes the rest no JSON, whatever it is. */
const unfinished = Buffer.from("{");
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

function endsWithUnread(bytes: Buffer): boolean {
  return unreadKeys.some((key) => bytes.subarray(-key.length).equals(key));
}
