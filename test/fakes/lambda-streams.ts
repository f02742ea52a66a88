import { PassThrough, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { StreamifyHandler } from "aws-lambda";

/**
 * What Lambda's runtime for Node.js gives a function that streams, as the source of the runtime has it: the status and
 * the headers come first, as JSON, then eight zeros, and then what the function writes. Import it before the function.
 */
export interface StreamedAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const separator = Buffer.alloc(8);

class HttpResponseStream {
  static from(stream: Writable, prelude: object): Writable {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: readonly unknown[]) => boolean;
    let isBegun = false;
    stream.write = (chunk: unknown, ...rest: readonly unknown[]) => {
      if (!isBegun) {
        isBegun = true;
        write(JSON.stringify(prelude));
        write(separator);
      }
      return write(chunk, ...rest);
    };
    return stream;
  }
}

Object.assign(globalThis, {
  awslambda: { HttpResponseStream, streamifyResponse: (handler: StreamifyHandler) => handler },
});

/** What a function URL makes of the stream that a handler writes. */
export async function streamed(answer: (stream: Writable) => Promise<unknown>): Promise<StreamedAnswer> {
  const stream = new PassThrough();
  const [bytes] = await Promise.all([buffer(stream), answer(stream)]);
  const at = bytes.indexOf(separator);
  if (at < 0) throw new Error("expected a status and headers before the body");
  const prelude = JSON.parse(bytes.subarray(0, at).toString()) as Omit<StreamedAnswer, "body">;
  return { ...prelude, body: bytes.subarray(at + separator.length) };
}
