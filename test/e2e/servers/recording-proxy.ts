import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Emulator } from "./emulator";

/** A request to AWS, as it came over the wire. */
export interface RecordedCall {
  /** The access key that signed it. */
  readonly caller: string;
  /** The signature's: "eu-west-1". */
  readonly region: string;
  /** The signature's: "dynamodb", "sqs", … */
  readonly service: string;
  readonly method: string;
  /** "PutItem"; of a service with REST, the path. */
  readonly action: string;
  /** JSON as it was sent, or a form's fields; {} for anything else. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The emulator behind a proxy that keeps every request. */
export interface RecordedEmulator extends Emulator {
  readonly calls: readonly RecordedCall[];
}

/** The Host header stays the proxy's, so the URLs of queues lead through it, too. */
export async function recordEmulator(emulator: Emulator): Promise<RecordedEmulator> {
  const calls: RecordedCall[] = [];
  const { hostname, port } = new URL(emulator.endpoint);
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      calls.push(readCall(incoming, body));
      const { method, headers, url: path } = incoming;
      const outgoing = forward({ hostname, port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on("error", () => response.destroy());
      outgoing.end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...emulator,
    endpoint,
    env: { ...emulator.env, AWS_ENDPOINT_URL: endpoint },
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function readCall({ headers, method = "", url = "" }: IncomingMessage, body: Buffer): RecordedCall {
  const [, caller = "nobody", region = "none", service = "unknown"] =
    /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(headers.authorization ?? "") ?? [];
  const text = body.toString("utf8");
  const isJson = /json/.test(headers["content-type"] ?? "");
  const form = /form-urlencoded/.test(headers["content-type"] ?? "")
    ? Object.fromEntries(new URLSearchParams(text))
    : {};
  const input = isJson ? (JSON.parse(text) as Record<string, unknown>) : form;
  const target = headers["x-amz-target"];
  // JSON protocols name the action in a header, RPC v2 in the path, the Query protocol in a field.
  const action =
    typeof target === "string" ? target.split(".").at(-1) : (/\/operation\/(\w+)/.exec(url)?.[1] ?? form["Action"]);
  return { caller, region, service, method, action: action ?? url, input };
}
