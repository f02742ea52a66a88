import * as http from "node:http";
import * as https from "node:https";
import type { Readable } from "node:stream";
import { abortReason, onAbort } from "../async/within-time";
import { readAnswer } from "./bounded-answers";

/** One attempt of a request. */
export interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** Sends one POST. Rejects as the SDK's handler does: TimeoutError, AbortError, or Node's error with its code. */
export type Post = (request: Posted) => Promise<PostAnswer>;

export interface PostLimits {
  /** Until TCP and TLS are set up. */
  readonly connectMs: number;
  /** From the start until the answer's head. */
  readonly answerMs: number;
  readonly maxBytes: number;
  readonly maxSockets: number;
}

/** Connections stay open between invocations. One that the service closed meanwhile is a reset, and is retried. */
export function openPost({ connectMs, answerMs, maxBytes, maxSockets }: PostLimits): Post & { close(): void } {
  const options = { keepAlive: true, maxSockets, maxFreeSockets: 32 };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  const post: Post = ({ url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      const isPlain = url.protocol === "http:";
      const target = {
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port,
        path: url.pathname,
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        agent: isPlain ? agents["http:"] : agents["https:"],
      };
      const request = isPlain ? http.request(target) : https.request(target);
      let connecting: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(connecting);
        clearTimeout(answering);
        unlisten();
      };
      const fail = (error: Error) => {
        settle();
        request.destroy();
        reject(error);
      };
      const answering = setTimeout(() => fail(timeout(`no answer within ${answerMs} ms`)), answerMs);
      const unlisten = onAbort(signal, () => fail(abortError(signal)));

      request.on("socket", (socket) => {
        if (!socket.connecting) return;
        connecting = setTimeout(() => fail(timeout(`no connection within ${connectMs} ms`)), connectMs);
        socket.once(isPlain ? "connect" : "secureConnect", () => clearTimeout(connecting));
      });
      request.on("error", fail);
      request.on("response", (response) => {
        clearTimeout(answering);
        readAnswer(response as Readable, maxBytes).then(
          (answer) => {
            settle();
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
          },
          (error: Error) => fail(error),
        );
      });
      request.end(body);
    });

  return Object.assign(post, { close: () => Object.values(agents).forEach((agent) => agent.destroy()) });
}

function timeout(message: string): Error {
  return Object.assign(new Error(message), { name: "TimeoutError" });
}

/** As the SDK throws it. */
export function abortError(signal: AbortSignal): Error {
  return Object.assign(new Error("the request was aborted", { cause: abortReason(signal) }), { name: "AbortError" });
}
