import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { gzipSync } from "node:zlib";

export type Send = (response: ServerResponse) => void | Promise<void>;

const start = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[';

const managedFields = [{ manager: "kubelet", fieldsV1: { f: "x".repeat(7_000) } }];
const containers = [{ name: "app", image: "i", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }];
/** A served pod of about 8 KB, where `%` is its number. A decision reads 0.3 KB of it. */
const anyPod = JSON.stringify({
  metadata: { name: "web-%", namespace: "shop", uid: "u%", labels: { app: "web" }, managedFields },
  spec: { nodeName: "n1", containers },
  status: { phase: "Running", startTime: "2026-03-01T12:00:00Z", conditions },
}).split("%");

/** Writes as fast as the reader takes it, and ends when the reader leaves. */
export async function stream(response: ServerResponse, pieces: Iterable<string>, isZipped = false): Promise<void> {
  response.writeHead(200, { "content-type": "application/json", ...(isZipped && { "content-encoding": "gzip" }) });
  if (await pour(isZipped ? zipped(pieces) : pieces, response, response)) response.end();
}

/** Each piece in a member of its own: many in a row are one valid body. A piece that comes again is zipped once. */
function* zipped(pieces: Iterable<string>): Iterable<Buffer> {
  let last = { piece: "", member: gzipSync("") };
  for (const piece of pieces) {
    if (piece !== last.piece) last = { piece, member: gzipSync(piece, { level: 1 }) };
    yield last.member;
  }
}

/** Each byte after `first` is a chunk of its own, so the reader gets each in a buffer of its own. */
async function streamBytes(response: ServerResponse, first: string): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  await new Promise((resolve) => response.write(first, resolve));
  if (response.socket !== null) await pour(repeated("", "1\r\na\r\n", 4_000), response.socket, response);
}

/** Whether all was written before the reader left. */
async function pour(pieces: Iterable<string | Buffer>, sink: Writable, response: ServerResponse): Promise<boolean> {
  let gone = false;
  let goOn = () => {};
  sink.on("drain", () => goOn());
  response.on("close", () => {
    gone = true;
    goOn();
  });
  for (const piece of pieces) {
    if (gone) return false;
    if (!sink.write(piece)) await new Promise<void>((resolve) => (goOn = resolve));
  }
  return true;
}

export function* pods(count: number): Iterable<string> {
  yield start;
  for (let index = 0; index < count; index += 100) {
    const some = Array.from({ length: 100 }, (_, offset) => anyPod.join(String(index + offset)));
    yield `${index === 0 ? "" : ","}${some.join(",")}`;
  }
  yield "]}";
}

/** Each marked with as much as its annotations may be. */
export function* markedPods(count: number, mark: string): Iterable<string> {
  const text = "x".repeat(256 * 1024 - mark.length);
  yield start;
  for (let index = 0; index < count; index += 1) {
    const metadata = { name: `web-${index}`, resourceVersion: "1", annotations: { [mark]: text } };
    yield `${index === 0 ? "" : ","}${JSON.stringify({ metadata, status: { phase: "Running", conditions } })}`;
  }
  yield "]}";
}

export function* cut(texts: Iterable<string>, length: number): Iterable<string> {
  for (const text of texts) for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

const piece = 1024 * 1024;

function* repeated(first: string, text: string, megabytes: number): Iterable<string> {
  yield first;
  const many = text.repeat(Math.ceil(piece / text.length));
  for (let sent = 0; sent < megabytes; sent++) yield many;
}

/** 5 MB, which JSON.parse makes 20 times as large. */
function* whole(first: string, text: string, last: string): Iterable<string> {
  yield* repeated(first, text, 5);
  yield last;
}

/** Lies that end at the first piece too many. */
export const bombs: Readonly<Record<string, Send>> = {
  "a gzip bomb of one text": (response) => stream(response, repeated('{"kind":"', "a", 4_000), true),
  "a gzip bomb of spaces": (response) => stream(response, repeated(" ", " ", 4_000), true),
  "a gzip bomb of one pod": (response) => stream(response, repeated(`${start}{"a":"`, "a", 4_000), true),
  "a gzip bomb of nulls": (response) => stream(response, repeated(`${start}null`, ",null", 4_000), true),
  "5 MB of empty lists": (response) => stream(response, whole(`${start}[]`, ",[]", "]}"), true),
  "5 MB of one depth": (response) => stream(response, whole('{"kind":', "[", "")),
  "a text in pieces of one byte": (response) => streamBytes(response, '{"kind":"'),
  "a pod in pieces of one byte": (response) => streamBytes(response, `${start}{"a":"`),
  "a text without an end": (response) => stream(response, repeated('{"kind":"', "a", 4_000)),
  "a refusal without an end": (response) => {
    response.statusCode = 500;
    return stream(response, repeated('{"kind":"Status","message":"', "a", 4_000));
  },
};

/** Lies that look like a list for long. */
export const longLies: Readonly<Record<string, Send>> = {
  "a gzip bomb of empty pods": (response) => stream(response, repeated(`${start}{}`, ",{}", 4_000), true),
  "pods without an end": (response) => stream(response, pods(Infinity)),
};
