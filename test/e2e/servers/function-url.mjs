// Takes the place of a function URL that streams, and of the runtime behind it: loads a packaged handler, which answers
// each request. node function-url.mjs <bundle> <port> <timeout in ms>
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { PassThrough } from "node:stream";

const [bundle, port, timeoutMs] = process.argv.slice(2);
const host = "function.lambda-url.eu-central-1.on.aws";

/** As the runtime's own: a prelude of JSON before the first byte, then eight zeros. */
class HttpResponseStream {
  static from(stream, prelude) {
    const write = stream.write.bind(stream);
    stream.write = (...chunk) => {
      stream.write = write;
      write(JSON.stringify(prelude));
      write(Buffer.alloc(8));
      return write(...chunk);
    };
    return stream;
  }
}
globalThis.awslambda = { HttpResponseStream, streamifyResponse: (handler) => handler };
const { handler } = createRequire(import.meta.url)(bundle);

function eventOf({ method, url, headers }) {
  const { pathname, search } = new URL(url, "http://localhost");
  return {
    ...{
      version: "2.0",
      routeKey: "$default",
      rawPath: pathname,
      rawQueryString: search.slice(1),
      isBase64Encoded: false,
    },
    headers: { ...headers, host, "x-forwarded-proto": "https" },
    requestContext: {
      accountId: "anonymous",
      domainName: host,
      http: { method, path: pathname, protocol: "HTTP/1.1" },
    },
  };
}

/** The prelude ends at the first zeros; what follows goes on as it comes. */
function answering(response) {
  const stream = new PassThrough();
  let head = Buffer.alloc(0);
  stream.on("data", (chunk) => {
    if (response.headersSent) return response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(Buffer.alloc(8));
    if (end < 0) return undefined;
    const { statusCode, headers } = JSON.parse(head.subarray(0, end).toString());
    response.writeHead(statusCode, headers);
    if (head.length > end + 8) response.write(head.subarray(end + 8));
  });
  stream.on("end", () => response.end());
  return stream;
}

const server = createServer((request, response) => {
  const deadline = Date.now() + Number(timeoutMs);
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => deadline - Date.now() };
  handler(eventOf(request), answering(response), context).catch((error) => {
    console.error(error);
    if (response.headersSent) return response.destroy();
    response.writeHead(502).end("Internal Server Error");
  });
});
server.listen(Number(port), "127.0.0.1");
