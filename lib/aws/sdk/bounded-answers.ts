import { Readable } from "node:stream";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { growingBuffer } from "../../async/growing-buffer";
import { bodyBounds, bodyMs } from "../http/answer-reader";
import { BoundedMap } from "../../async/bounded-map";

/**
 * The largest answers as JSON, against impostors. A byte takes up to 6 (a control character), a table's attribute up to
 * 7.
 */
export const answerBytes = {
  sqs: 64 * 1024,
  /** 500 metrics with 100 datapoints each are 2 MB. */
  cloudwatch: 3 * 2 ** 20,
  /** A secret has at most 64 KB. */
  secret: 512 * 1024,
  sts: 64 * 1024,
  eks: 256 * 1024,
  lambda: 256 * 1024,
  /** A page of a query has at most 1 MB of items. */
  table: 16 * 2 ** 20,
} as const;

type Plugin = Parameters<SQSClient["middlewareStack"]["use"]>[0];

/** Any SDK client rejects a larger answer with AnswerTooLarge, and reads no further. */
export function boundedAnswers(maxBytes: number): Plugin {
  return {
    applyToStack(stack) {
      stack.add(
        (next) => async (args) => {
          const result = await next(args);
          const { response } = result as { readonly response?: { body?: unknown } };
          if (response?.body instanceof Readable) response.body = asStream(await readAnswer(response.body, maxBytes));
          return result;
        },
        // The lowest priority of the last step sees the answer first.
        { step: "deserialize", priority: "low", name: "boundedAnswers", override: true },
      );
    },
  };
}

type AnyClient = { readonly middlewareStack: { use(plugin: never): void; remove(name: string): boolean } };

/** Removes the SDK's logger too: it takes as much time for a page of a table as reading it, even if nothing logs. */
export function withBoundedAnswers<Client extends AnyClient>(client: Client, maxBytes: number): Client {
  client.middlewareStack.use(boundedAnswers(maxBytes) as never);
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}

/** Rejects with AnswerTooLarge, with a TimeoutError if the body is slow, or as the stream fails. */
export function readAnswer(body: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const answer = growingBuffer();
    const count = bodyBounds(maxBytes);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      body.destroy();
    };
    const late = () => fail(Object.assign(new Error(`no end after ${bodyMs} ms`), { name: "TimeoutError" }));
    const timer = setTimeout(late, bodyMs);
    body.on("data", (piece: Uint8Array) => {
      try {
        count(piece);
        answer.append(piece);
      } catch (error) {
        fail(error as Error);
      }
    });
    body.on("end", () => {
      clearTimeout(timer);
      resolve(answer.bytes());
    });
    body.on("error", fail);
    body.on("close", () => {
      // Without an end and without an error: the connection broke within the answer.
      if (!body.readableEnded) fail(Object.assign(new Error("the answer broke off"), { code: "ECONNRESET" }));
    });
  });
}

function asStream(bytes: Uint8Array): Readable {
  return new Readable({
    read() {
      this.push(bytes);
      this.push(null);
    },
  });
}

/**
 * A kept connection may be dead after a function was frozen, and the SDK's retries would take one after the other
 * (aws-sdk-js-v3#1196).
 */
export function ownConnections(maxSockets: number) {
  const agent = { keepAlive: false, maxSockets };
  return { httpAgent: agent, httpsAgent: agent };
}

/** AWS has 40. Entries may name others. */
export const mostRegions = 100;

export function perRegion<T>(open: (region: string) => T): (region?: string) => T {
  const known = new BoundedMap<string, T>(mostRegions);
  return (region = "") => {
    const one = known.get(region) ?? open(region);
    known.set(region, one);
    return one;
  };
}
