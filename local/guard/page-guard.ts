import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isSame } from "../../lib/secrets/same-secret";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const headers = {
  "content-security-policy": policy,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** 192 random bits, the first part of each path: cookies would go to every port of this host. */
export function newPageKey(): string {
  return randomBytes(24).toString("base64url");
}

export interface PageRequest {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Refuses strangers, and pages of other sites. Never throws. */
export function pageGuarded(
  key: string,
  listener: (request: PageRequest, response: ServerResponse) => Promise<void>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const strange = strangeness(request);
    if (strange !== undefined) return refuse(response, 403, strange);
    if (request.method !== "GET") return refuse(response, 405, `expected GET, got ${request.method}`);
    const { pathname, searchParams } = new URL(`http://localhost${request.url?.replace(/^[^/]/, "/") ?? "/"}`);
    const [, given = "", ...rest] = pathname.split("/");
    if (!isSame(given, key)) return refuse(response, 403, "expected the whole address that `ebb` printed");
    // Relative addresses need the slash.
    if (rest.length === 0) return void response.writeHead(308, { location: `/${key}/` }).end();
    listener({ path: rest.join("/"), query: searchParams }, response).catch(() => response.destroy());
  };
}

/** Undefined: none. A link with the key may come from anywhere. */
function strangeness({ headers, socket }: IncomingMessage): string | undefined {
  const hosts = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  const { host = "", origin } = headers;
  if (!hosts.includes(host)) return `expected the host ${hosts[0]}, got another (Host)`;
  if (origin !== undefined && origin !== `http://${host}`)
    return "expected a page of this server, got another (Origin)";
  const site = headers["sec-fetch-site"];
  const isLink = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isLink)
    return "expected a page of this server, got another (Sec-Fetch-Site)";
  return undefined;
}

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${message}\n`);
}
