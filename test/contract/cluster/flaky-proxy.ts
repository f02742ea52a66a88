import { Agent, createServer, request, type RequestOptions } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { base64, makeCertificates } from "../../cluster/certificates";
import { answerSwitch, mishapSwitch } from "../../fakes/wire";

interface Passed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const writes = ["PUT", "POST", "PATCH"];

/** A proxy between a client and an API server. It loses answers, and gives lists of pods in pages. */
export async function startFlakyProxy(upstream: { endpoint: string; certificateAuthorityData: string }) {
  const agent = new Agent({ ca: Buffer.from(upstream.certificateAuthorityData, "base64"), keepAlive: true });
  const certificates = await makeCertificates();
  const mishaps = { ...mishapSwitch(), ...answerSwitch() };
  const asked: string[] = [];
  let pageSize = Infinity;

  const forward = (incoming: IncomingMessage, path: string, body: Buffer): Promise<Passed> =>
    new Promise((resolve, reject) => {
      const { host: _host, "accept-encoding": _encoding, connection: _connection, ...headers } = incoming.headers;
      const options: RequestOptions = { method: incoming.method ?? "GET", headers, agent };
      const sent = request(new URL(path, upstream.endpoint), options, (answer) => {
        const { statusCode: status = 0 } = answer;
        readAll(answer).then((read) => resolve({ status, headers: answer.headers, body: read }), reject);
      });
      sent.once("error", reject);
      sent.end(body);
    });

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    asked.push(incoming.url ?? "");
    const refusal = mishaps.takeAnswer();
    if (refusal !== undefined) return refuse(response, refusal);
    const go = () => forward(incoming, incoming.url ?? "/", body);
    const mishap = writes.includes(incoming.method ?? "") ? mishaps.take() : undefined;
    if (mishap === undefined) {
      const paged = pageSize < Infinity && incoming.method === "GET" && /\/pods\?/.test(incoming.url ?? "");
      return send(response, await (paged ? page(incoming, pageSize, forward) : go()));
    }
    if (mishap.kind === "late") mishap.hold(go);
    else if (mishap.kind !== "requestLost") await go();
    incoming.socket.destroy();
  }

  const server = createServer(certificates.server, (incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateAuthorityData: base64(certificates.ca),
    mishaps,
    /** The paths of the requests so far. */
    asked,
    pageBy: (size: number) => void (pageSize = size),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

/**
 * One page of a list, cut here: neither server pages what it answers from its cache. The token is the first item's
 * index.
 */
async function page(
  incoming: IncomingMessage,
  size: number,
  forward: (incoming: IncomingMessage, path: string, body: Buffer) => Promise<Passed>,
): Promise<Passed> {
  const url = new URL(incoming.url ?? "/", "https://localhost");
  const from = Number(url.searchParams.get("continue") ?? 0);
  url.searchParams.delete("continue");
  const { headers, status, body } = await forward(incoming, url.pathname + url.search, Buffer.alloc(0));
  const list = JSON.parse(body.toString("utf8")) as { metadata?: object; items?: unknown[] };
  if (!Array.isArray(list.items)) return { headers, status, body };
  const next = from + size < list.items.length ? { continue: String(from + size) } : {};
  const cut = { ...list, metadata: { ...list.metadata, ...next }, items: list.items.slice(from, from + size) };
  return { status, headers, body: Buffer.from(JSON.stringify(cut)) };
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function send(response: ServerResponse, { status, headers, body }: Passed): void {
  const type = headers["content-type"];
  response.writeHead(status, { ...(type !== undefined && { "content-type": type }) });
  response.end(body);
}

function refuse(response: ServerResponse, { status, message }: { readonly status: number; readonly message: string }) {
  const answer = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: status };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}
