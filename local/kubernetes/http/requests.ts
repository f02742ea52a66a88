import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { StatusError, badRequest, internalError, unsupportedMediaType } from "../resources/status";

/** The parts of a request of the Kubernetes API (apiserver's RequestInfo). */
export interface ResourceRequest {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
}

type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** The resource in a path. undefined: the path names none (discovery, /version). */
export function parseResourcePath(method: string, url: URL): ResourceRequest | undefined {
  const parts = url.pathname.split("/").filter((part) => part !== "");
  const [root, ...after] = parts.map(decodeURIComponent);
  const groupParts = root === "api" ? [""] : root === "apis" ? after.splice(0, 1) : undefined;
  const version = after.shift();
  if (groupParts?.[0] === undefined || version === undefined || after.length === 0) return undefined;

  // /namespaces/<name> is the namespace itself. With a resource behind it, it is that resource's namespace.
  const isPlaced = after[0] === "namespaces" && after.length >= 3 && !["status", "finalize"].includes(after[2] ?? "");
  const namespace = isPlaced ? (after[1] ?? "") : "";
  const [plural = "", name = "", subresource] = isPlaced ? after.slice(2) : after;
  const group = groupParts[0];
  const verb = verbOf(method, url.searchParams, name !== "");
  // A namespace's own name is its namespace, as for the real authorizer.
  return { verb, group, version, plural, namespace: plural === "namespaces" ? name : namespace, name, subresource };
}

function verbOf(method: string, query: URLSearchParams, named: boolean): Verb {
  switch (method) {
    case "GET":
    case "HEAD":
      if (isSet(query.get("watch"))) return "watch";
      return named ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    default:
      return named ? "delete" : "deletecollection";
  }
}

export function isSet(parameter: string | null): boolean {
  return parameter === "true" || parameter === "1";
}

/** The real server's limit. */
const maxBodyBytes = 3 * 1024 * 1024;

/** The body as JSON; undefined if it is empty. Protobuf, which typed Go clients may send, is refused with 415. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.headers["content-type"]?.includes("protobuf")) throw unsupportedMediaType(["application/json"]);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      const message = `Request entity too large: limit is ${maxBodyBytes}`;
      throw new StatusError(413, "RequestEntityTooLarge", message);
    }
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ""}`);
  }
}

// Like the real server, compresses answers above 128 KiB for clients that accept it.
const gzipFrom = 128 * 1024;

export function sendJson(request: IncomingMessage, response: ServerResponse, body: unknown, code = 200): void {
  const text = Buffer.from(JSON.stringify(body) + "\n");
  const zipped = text.length > gzipFrom && String(request.headers["accept-encoding"] ?? "").includes("gzip");
  const content = zipped ? gzipSync(text, { level: 1 }) : text;
  response.writeHead(code, {
    "content-type": response.getHeader("content-type") ?? "application/json",
    "cache-control": "no-cache, private",
    "content-length": content.length,
    ...(zipped && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
  });
  response.end(request.method === "HEAD" ? undefined : content);
}

/** The answer to an unknown path: plain text. In a served group, the real server answers with a Status (status.ts). */
export function sendUnknownPath(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end("404 page not found\n");
}

export function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  response.end(text);
}

export function sendFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const failure =
    error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error));
  if (response.headersSent) response.destroy();
  else sendJson(request, response, failure.status, failure.status.code);
}
