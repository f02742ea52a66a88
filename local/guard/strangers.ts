import type { IncomingMessage } from "node:http";

const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Undefined: it may be a client on this machine. A browser adds Origin or Sec-Fetch-Site for a page, and a rebound name
 * stays in Host.
 */
export function strangeness({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
    return "expected a client on this machine, got a web page (Origin, Sec-Fetch-Site)";
  if (headers.host === undefined || !ownHost.test(headers.host))
    return "expected the host 127.0.0.1, localhost or [::1], got another (Host)";
  return undefined;
}
