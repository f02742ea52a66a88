import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import type { Accepted } from "./accept";
import { MethodError, StatusError, internalError } from "../resources/status";

// As on the real server.
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

export function sendAnswer(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { mediaType }: Accepted,
  body: unknown,
  code = 200,
): void {
  if (mediaType === "application/json") return sendJson(request, response, body, code);
  const content = Buffer.from(stringify(body, { version: "1.1", aliasDuplicateObjects: false }));
  response.writeHead(code, {
    "content-type": mediaType,
    "cache-control": "no-cache, private",
    "content-length": content.length,
  });
  response.end(request.method === "HEAD" ? undefined : content);
}

/** In a served group, the real server answers with a Status (status.ts). */
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
  if (response.headersSent) return void response.destroy();
  // An answer of another form may have been prepared.
  response.removeHeader("content-type");
  if (failure instanceof MethodError) response.setHeader("allow", failure.allow.join(", "));
  sendJson(request, response, failure.status, failure.status.code);
}
