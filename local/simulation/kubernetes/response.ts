import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { internalError, StatusError } from "./status";

// As the real server: answers above 128 KiB are compressed for clients that take it.
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

/** The answer to a path that nothing serves: plain text, no Status. Below a served group the real server has a Status (see status.ts). */
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
