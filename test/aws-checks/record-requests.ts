import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

/**
 * A setup file for a run of the unit suites with EBB_TEST_REQUESTS: writes each request with an AWS signature that
 * leaves the process to this file, as it is on the wire. Whatever client sent it, it went through a socket.
 */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** base64 */
  readonly body: string;
}

const file = process.env["EBB_TEST_REQUESTS"];
if (file === undefined) throw new Error("expected EBB_TEST_REQUESTS to name the file for the requests, got nothing");

type Write = typeof Socket.prototype.write;
/** All test files of a process share its sockets, and each evaluates this module again. */
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its socket below
const patched = Socket.prototype.write as Write & { recorded?: string[] };
const recorded = patched.recorded ?? patch();

afterAll(() => {
  if (recorded.length > 0) appendFileSync(file, recorded.splice(0).join(""));
});

function patch(): string[] {
  const lines: string[] = [];
  const unfinished = new WeakMap<Socket, Buffer>();
  function write(this: Socket, ...args: readonly unknown[]): boolean {
    const [chunk, encoding] = args as [string | Uint8Array, unknown];
    const piece =
      typeof chunk === "string"
        ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
        : Buffer.from(chunk);
    const before = unfinished.get(this);
    if (before !== undefined || isRequest(piece)) {
      const { requests, rest } = requestsIn(before === undefined ? piece : Buffer.concat([before, piece]));
      for (const request of requests)
        if (request.headers["authorization"]?.startsWith("AWS4-HMAC-SHA256"))
          lines.push(`${JSON.stringify(request)}\n`);
      if (rest.length > 0) unfinished.set(this, rest);
      else unfinished.delete(this);
    }
    return Reflect.apply(patched, this, args) as boolean;
  }
  Socket.prototype.write = Object.assign(write as Write, { recorded: lines });
  return lines;
}

function isRequest(bytes: Buffer): boolean {
  return /^(GET|POST) \//.test(bytes.toString("latin1", 0, 6));
}

function requestsIn(bytes: Buffer): { readonly requests: readonly RecordedRequest[]; readonly rest: Buffer } {
  const requests: RecordedRequest[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) return { requests, rest };
    const [first = "", ...lines] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const [method = "", path = ""] = first.split(" ");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const end = headEnd + 4 + Number(headers["content-length"] ?? 0);
    if (rest.length < end) return { requests, rest };
    requests.push({ method, path, headers, body: rest.toString("base64", headEnd + 4, end) });
    rest = rest.subarray(end);
  }
}
