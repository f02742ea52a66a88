import type { IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { present } from "../k8s/map";
import { measure, parsedMemory } from "../model/size";
import { growingBuffer } from "../async/growing-buffer";
import { splitList, type Trim } from "./split-list";
import type { MemoryHold } from "./memory";

export interface BodyReading {
  readonly maxBytes: number;
  readonly hold: MemoryHold;
  readonly trim?: Trim | undefined;
}

export interface Body {
  /** A list's document without its objects; a refused request's beginning. */
  readonly body: Buffer;
  readonly objects?: readonly unknown[];
  /** The memory of `objects`, in bytes. */
  readonly kept: number;
}

export interface BadBody {
  readonly failure: "tooLarge" | "malformed";
  readonly detail: string;
  readonly cause?: unknown;
}

/** A refused request explains itself in a few hundred bytes. */
const maxErrorBytes = 64 * 1024;
/** Each piece takes time: after 10,000, the average must have this many bytes. */
const leastPerPiece = 64;
const freePieces = 10_000;

/** Calls `onEnd` once, unless the returned function gives up first. A list takes the memory of its trimmed objects. */
export function readBody(
  response: IncomingMessage,
  reading: BodyReading,
  onEnd: (body: Body | BadBody) => void,
): () => void {
  const { maxBytes, hold, trim } = reading;
  const isRefusal = (response.statusCode ?? 0) >= 300;
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const unzip = encoding === "gzip" ? createGunzip({ chunkSize: 64 * 1024 }) : undefined;
  const objects: unknown[] = [];
  const names = new Set<string>();
  const body = growingBuffer();
  let kept = 0;
  let [received, receivedPieces, unpacked] = [0, 0, 0];
  let isOver = false;

  const giveUp = () => {
    isOver = true;
    unzip?.destroy();
  };
  const end = (outcome: Body | BadBody) => {
    if (isOver) return;
    giveUp();
    onEnd(outcome);
  };
  const tooLarge = () => end({ failure: "tooLarge", detail: `the answer is larger than ${maxBytes} bytes` });
  const items =
    trim === undefined || isRefusal
      ? undefined
      : splitList({
          ...present({ unread: trim.unread }),
          onItem: (item) => {
            const trimmed = trim.keep(item);
            objects.push(trimmed);
            const bytes = measure(trimmed, names).memory;
            kept += bytes;
            hold.add(bytes);
          },
          onRest: (piece) => hold.add(parsedMemory(piece)),
        });

  const write = (piece: Buffer) => {
    if (isOver) return;
    unpacked += piece.length;
    if (unpacked > maxBytes) return tooLarge();
    if (isRefusal && unpacked > maxErrorBytes) {
      body.append(piece.subarray(0, piece.length - (unpacked - maxErrorBytes)));
      return end({ body: body.bytes(), kept: 0 });
    }
    if (items === undefined) {
      hold.add(parsedMemory(piece));
      return body.append(piece);
    }
    try {
      items.write(piece);
    } catch (cause) {
      const detail = cause instanceof RangeError ? cause.message : "an item of the list is no JSON";
      end({ failure: cause instanceof RangeError ? "tooLarge" : "malformed", detail, cause });
    }
  };
  const finish = () => {
    end({ body: items?.rest() ?? body.bytes(), kept, ...(items !== undefined && { objects }) });
  };

  if (encoding !== "identity" && unzip === undefined) {
    const detail = `expected gzip or no encoding, got ${JSON.stringify(encoding.slice(0, 40))}`;
    end({ failure: "malformed", detail });
    return giveUp;
  }
  response.on("data", (piece: Buffer) => {
    received += piece.length;
    receivedPieces += 1;
    if (received > maxBytes) tooLarge();
    if (receivedPieces > freePieces + received / leastPerPiece) {
      const average = Math.round(received / receivedPieces);
      end({ failure: "malformed", detail: `the answer comes in pieces of ${average} B on average` });
    }
  });
  if (unzip === undefined) {
    response.on("data", write);
    response.on("end", finish);
    return giveUp;
  }
  unzip.on("data", write);
  unzip.on("end", finish);
  unzip.on("error", (cause) => {
    end({ failure: "malformed", detail: `expected a gzip body: ${cause.message}`, cause });
  });
  response.pipe(unzip);
  return giveUp;
}
