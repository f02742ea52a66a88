import type { HttpRequest } from "@smithy/protocol-http";
import { bodyBounds } from "../../../lib/aws/http/answer-reader";
import type { Post } from "../../../lib/aws/http/post";

interface Answer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** For the light client: the same stand-in for a network that the SDK's clients take as their requestHandler. */
export function postOver(handler: {
  handle(request: HttpRequest, options: { readonly abortSignal: AbortSignal }): Promise<{ readonly response: Answer }>;
}): Post {
  return async ({ url, headers, body, signal, maxBytes = Infinity }) => {
    const request = { method: "POST", protocol: url.protocol, hostname: url.hostname, path: url.pathname, headers };
    const sent = { ...request, body: Buffer.from(body) } as unknown as HttpRequest;
    const { response } = await handler.handle(sent, { abortSignal: signal });
    const { statusCode, headers: answered = {}, body: text = "" } = response;
    const bytes = Buffer.from(text);
    bodyBounds(maxBytes)(bytes);
    return { status: statusCode, headers: answered, body: bytes };
  };
}
