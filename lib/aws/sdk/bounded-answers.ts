import { Readable } from "node:stream";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { growingBuffer } from "../../async/growing-buffer";
import { bodyBounds, bodyMs } from "../http/body-bounds";

/**
 * The largest answer that each service gives, as JSON, with room to spare. A service may be a proxy or pose as one, and
 * a function has 512 MB. In JSON, a byte takes up to 6 (a control character), and a table's attribute up to 7.
 */
export const answerBytes = {
  /** Three counts, a queue's URL, or what came of 10 messages. */
  sqs: 64 * 1024,
  /** 500 metrics with 100 datapoints each are 2 MB. */
  cloudwatch: 3 * 2 ** 20,
  /** A secret has at most 64 KB. */
  secret: 512 * 1024,
  /** Temporary credentials. */
  sts: 64 * 1024,
  eks: 256 * 1024,
  /** An account's settings, or the event source mappings of one function. */
  lambda: 256 * 1024,
  /** A page of a query has at most 1 MB of items. */
  table: 16 * 2 ** 20,
} as const;

type Plugin = Parameters<SQSClient["middlewareStack"]["use"]>[0];

/** For the middleware stack of any SDK client. A larger answer rejects with AnswerTooLarge, and is not read further. */
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

/**
 * An SDK client whose answers are bounded. The SDK hides the secrets in every request and answer before it logs them,
 * also to the logger that does nothing. For a page of a table, that costs as much time as reading it.
 */
export function withBoundedAnswers<Client extends AnyClient>(client: Client, maxBytes: number): Client {
  client.middlewareStack.use(boundedAnswers(maxBytes) as never);
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}

/** The whole body. Rejects with AnswerTooLarge, with a TimeoutError if it drips, or as the stream fails. */
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

/** The SDK's deserializers take a stream. */
function asStream(bytes: Uint8Array): Readable {
  return new Readable({
    read() {
      this.push(bytes);
      this.push(null);
    },
  });
}
