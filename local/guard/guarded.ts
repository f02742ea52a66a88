import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalCredential, proofOf, type Refusal, signatureCheck } from "./signature";

/** DynamoDB's limit, the larger of the two. */
const maxBodyBytes = 16 * 1024 * 1024;

export interface GuardOptions {
  readonly service: "dynamodb" | "sqs";
  readonly credential: LocalCredential;
  readonly now?: () => number;
}

export type Listener = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A server proves here that it knows a credential's secret. */
export const proofPath = "/ebb/proof/";

/** Refuses strangers, without CORS headers. Never rejects or throws. */
export function guarded(options: GuardOptions, listener: Listener) {
  const { service, credential, now = () => Date.now() } = options;
  const check = signatureCheck(service, credential, now);

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const strange = strangeness(request);
    if (strange !== undefined) return refuse(response, 403, { name: "AccessDeniedException", message: strange });
    const nonce = nonceOf(request);
    if (nonce !== undefined) return void response.end(proofOf(credential, nonce));
    const begun = check.begin(request);
    if ("refused" in begun) return refuse(response, 400, begun.refused);
    const body = await readBody(request);
    if (body === undefined)
      return refuse(response, 413, {
        name: "RequestEntityTooLarge",
        message: `expected at most ${maxBodyBytes} bytes`,
      });
    const refused = await check.finish(request, body, begun.claim);
    if (refused !== undefined) return refuse(response, 400, refused);
    listener(request, response, body);
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    // A client that breaks off sees the error on its own side.
    request.on("error", () => response.destroy());
    pass(request, response).catch(() => response.destroy());
  };
}

function nonceOf({ method, url = "" }: IncomingMessage): string | undefined {
  if (method !== "GET" || !url.startsWith(proofPath)) return undefined;
  return /^[0-9a-f]{32}$/.exec(url.slice(proofPath.length))?.[0];
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, code: number, { name, message }: Refusal): void {
  const text = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, message });
  response.writeHead(code, { "content-type": "application/x-amz-json-1.0", connection: "close" });
  response.end(text);
}

const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Undefined: none. A browser adds Origin or Sec-Fetch-Site for a page, and a rebound name stays in Host. */
export function strangeness({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined)
    return "expected a client on this machine, got a web page (Origin, Sec-Fetch-Site)";
  if (headers.host === undefined || !ownHost.test(headers.host))
    return "expected the host 127.0.0.1, localhost or [::1], got another (Host)";
  return undefined;
}
