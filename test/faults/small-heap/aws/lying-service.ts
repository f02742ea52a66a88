import type { RequestListener, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** How a service answers a request that it has read. */
export type Lie = (response: ServerResponse) => void;

const piece = 64 * 1024;

/** Sends `many` again and again, as fast as the reader takes it, until the reader leaves. */
function endless(status: number, start: string, many: string | Buffer, headers: Record<string, string> = {}): Lie {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    const more = () => {
      while (!response.destroyed && response.write(many));
    };
    response.on("drain", more);
    if (start !== "") response.write(start);
    more();
  };
}

const text = "a".repeat(piece);
/** 1 MB in 1 KB. Many of them in a row are one valid body. */
const packed = gzipSync(Buffer.alloc(2 ** 20, "a"));

/** Each byte in a chunk of its own: a reader that keeps the pieces needs 100 bytes and more for each of them. */
function oneByteChunks(text: string, count: number): Lie {
  return (response) => {
    const { socket } = response;
    if (socket === null) return;
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    const many = `1\r\n${text}\r\n`.repeat(10_000);
    let sent = 0;
    const more = () => {
      while (!socket.destroyed && sent < count) {
        sent += 10_000;
        if (!socket.write(many)) return;
      }
    };
    socket.on("drain", more);
    more();
  };
}

/** A body of exactly so many bytes, which ends. */
function sized(start: string, text: string, end: string, bytes: number): Lie {
  return (response) => {
    const count = Math.floor((bytes - start.length - end.length) / text.length);
    response.writeHead(200, { "content-type": "application/json" }).end(start + text.repeat(count) + end);
  };
}

/** `bound`: what the service may answer. */
export function liesOf(bound: number): Readonly<Record<string, Lie>> {
  return {
    "a text without an end": endless(200, '{"a":"', text),
    "a refusal without an end": endless(400, '{"__type":"com.amazonaws#InvalidAddress","message":"', text),
    "an outage without an end": endless(500, '{"message":"', text),
    "a gzip bomb": endless(200, "", packed, { "content-encoding": "gzip" }),
    "a length that is not true": endless(200, '{"a":"', text, { "content-length": String(2 ** 40) }),
    "chunks of one byte without an end": oneByteChunks(" ", Infinity),
    "an answer just within the bound, of lists": sized('{"a":[[]', ",[]", "]}", bound),
    "an answer just within the bound, of maps": sized('{"a":[{}', ",{}", "]}", bound),
    "an answer just within the bound, of one depth": sized('{"a":', "[", "", bound),
  };
}

/** One byte now and then: only a time limit ends it. */
export const drip: Lie = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => clearInterval(timer));
};

/** A service that lies once it has read the request. */
export function lying(lie: Lie): RequestListener {
  return (request, response) => void request.resume().on("end", () => lie(response));
}
