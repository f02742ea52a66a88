import type { ServerResponse } from "node:http";
import { type Received, startServer, type TestServer } from "../../cluster/api-server";
import { base64, makeCertificates } from "../../cluster/certificates";
import type { Cases } from "./contract";

/** The HTTP servers of the contract. */
export interface WebServers {
  /** https, signed by `ca`, for 127.0.0.1 and api.internal. */
  readonly server: TestServer;
  /** base64 of the CA's PEM. */
  readonly ca: string;
  /** Of another CA. */
  readonly otherCa: string;
  /** Of `secretName`: it is for the server. */
  readonly secrets: Map<string, string>;
  stop(): Promise<void>;
}

export const secretName = "ebb/prod/metrics";
const token = "t0k3n-0f-th3-s0urc3";

export async function startWebServers(secrets = new Map<string, string>()): Promise<WebServers> {
  const [own, other] = await Promise.all([makeCertificates(), makeCertificates()]);
  const server = await startServer((_request, response) => response.end(), own.server);
  return { server, ca: base64(own.ca), otherCa: base64(other.ca), secrets, stop: () => server.stop() };
}

/** How a kind speaks HTTP. */
export interface WebKind {
  /** The parameters that read the metric from a server at this URL. */
  readonly parameters: (url: string) => { readonly url: string } & Readonly<Record<string, unknown>>;
  /** Answers the kind's request: with this number, or with several. */
  readonly answer: (request: Received, response: ServerResponse, values: readonly number[]) => void;
  /** Answers as the server does when there is no such thing. */
  readonly missing: (request: Received, response: ServerResponse) => void;
  /** What the source says of that. */
  readonly missingError: RegExp;
  readonly contentType: string;
  readonly many: ReturnType<Extract<Cases["many"], () => unknown>>["expected"];
}

/** The situations that are the same for every kind that speaks HTTP. What differs, the kind's own suite adds. */
export function webCases(servers: () => WebServers, kind: WebKind): Omit<Cases, "hostile"> {
  const trusting = (url = servers().server.url) => ({
    ...kind.parameters(url),
    certificateAuthorityData: servers().ca,
  });
  const replying = (reply: TestServer["reply"]) => () => {
    servers().server.reply = reply;
  };
  const setSecret = (text: string) => {
    const { server, ca, secrets } = servers();
    secrets.set(secretName, JSON.stringify({ endpoint: server.url, certificateAuthorityData: ca, token: text }));
  };
  const body = (text: string) =>
    replying((_request, response) => {
      response.writeHead(200, { "content-type": kind.contentType });
      response.end(text);
    });

  return {
    found: () => ({
      parameters: trusting(),
      before: replying((request, response) => kind.answer(request, response, [12.5])),
      hangUp: () => servers().server.dropConnections(),
      expected: { values: ["12500m"] },
      after() {
        const { method, headers } = servers().server.received.at(-1)!;
        expect(method).toBe("GET");
        expect(headers).toMatchObject({
          ...{ accept: kind.contentType, "accept-encoding": "gzip", "user-agent": "ebb" },
        });
      },
    }),
    missing: () => ({ parameters: trusting(), before: replying(kind.missing), expected: { error: kind.missingError } }),
    empty: () => ({ parameters: trusting(), before: body(""), expected: { error: /got an empty answer|has no/ } }),
    malformed: () => ({ parameters: trusting(), before: body('{"depth": 4'), expected: { error: /expected|has no/ } }),
    slow: () => ({
      parameters: { ...trusting(), timeoutSeconds: 1 },
      before: replying((_request, response) => {
        response.writeHead(200, { "content-type": kind.contentType });
        response.write(" ");
      }),
      expected: { error: /no answer within 1 s/ },
    }),
    refused: () => ({ parameters: trusting("https://127.0.0.1:1"), expected: { error: /connection refused/ } }),
    authFailure: () => ({
      parameters: { ...trusting(), secret: secretName },
      before() {
        setSecret(token);
        servers().server.reply = ({ headers }, response) => {
          response.writeHead(401, { "content-type": "text/plain" });
          response.end(`no: ${headers.authorization}`);
        };
      },
      expected: { error: /does not accept the credential of the source's secret/ },
    }),
    wrongCa: () => ({
      parameters: { ...trusting(), certificateAuthorityData: servers().otherCa },
      before: replying((request, response) => kind.answer(request, response, [1])),
      expected: { error: /not signed by a trusted CA/ },
    }),
    wrongHost: () => ({
      parameters: { ...trusting(), tlsServerName: "stats.example.com" },
      before: replying((request, response) => kind.answer(request, response, [1])),
      expected: { error: /its certificate is for another name/ },
    }),
    huge: () => ({
      parameters: trusting(),
      before: body(" ".repeat(10 * 2 ** 20)),
      expected: { error: /larger than 2097152 bytes/ },
    }),
    many: () => ({
      parameters: trusting(),
      before: replying((request, response) => kind.answer(request, response, [1, 2])),
      expected: kind.many,
    }),
    dropped: () => ({
      parameters: trusting(),
      before: replying((_request, response) => {
        response.writeHead(200, { "content-type": kind.contentType, "content-length": "1000" });
        response.write("{", () => response.destroy());
      }),
      expected: { error: /the connection broke within the answer/ },
    }),
    rotated: () => ({
      parameters: { ...trusting(), secret: secretName },
      before() {
        setSecret("the-0ld-0ne");
        servers().server.reply = (request, response) => {
          if (request.headers.authorization === `Bearer ${token}`) return kind.answer(request, response, [3]);
          setSecret(token);
          response.writeHead(401).end();
        };
      },
      expected: { values: ["3"] },
    }),
  };
}
