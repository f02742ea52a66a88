import { Readable } from "node:stream";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { parsedMemory } from "../model/size";
import { growingBuffer } from "../async/growing-buffer";

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
  /** A page of a query has at most 1 MB of items. */
  table: 16 * 2 ** 20,
} as const;

/** The SDK does not retry it: the next answer would be as large. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(limit: string) {
    super(`more than ${limit}`);
  }
}

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

/**
 * What an answer may take while it is parsed, for each byte of its bound. The largest page of a table, 1 MB of empty
 * texts, is 9 MB of JSON and takes 123 MB. 16 MB of `[` would take 1 GB.
 */
const memoryPerByte = 8;

/** Networks deliver 500 bytes and more at a time. A million pieces of one byte keep a function busy for a second. */
const bytesPerPiece = 256;
const freePieces = 1_000;

/** From the answer's head to its end. The SDK's own limits end at the head, or start again with each byte. */
const answerMs = 8_000;

/** The whole body. Rejects with AnswerTooLarge, with a TimeoutError if it drips, or as the stream fails. */
export function readAnswer(body: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const answer = growingBuffer();
    let pieces = 0;
    let memory = 0;
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      body.destroy();
    };
    const late = () => fail(Object.assign(new Error(`no end after ${answerMs} ms`), { name: "TimeoutError" }));
    const timer = setTimeout(late, answerMs);
    const refuse = (limit: string) => fail(new AnswerTooLarge(limit));
    body.on("data", (piece: Uint8Array) => {
      const needed = answer.length + piece.length;
      pieces += 1;
      memory += parsedMemory(piece);
      if (needed > maxBytes) return refuse(`${maxBytes} bytes`);
      if (memory > maxBytes * memoryPerByte)
        return refuse(`${maxBytes * memoryPerByte} bytes of memory for ${needed} bytes`);
      if (pieces > freePieces + needed / bytesPerPiece)
        return refuse(`${pieces - 1} pieces for ${answer.length} bytes`);
      answer.append(piece);
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
