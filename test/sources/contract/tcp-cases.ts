import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { base64, makeCertificates } from "../../cluster/certificates";
import { fakeCluster } from "../../fakes/fake-cluster";
import { type Case, type Cases, sourceContract, type Subject } from "./contract";
import { streamTo } from "./stream-to";

/** Servers that speak over TCP, for the contract. */
export interface TcpServers {
  /** `127.0.0.1:port`, with TLS: signed by `ca`, for 127.0.0.1 and api.internal. */
  readonly address: string;
  /** base64 of the CA's PEM. */
  readonly ca: string;
  /** Of another CA. */
  readonly otherCa: string;
  /** Of `secretName`. */
  readonly secrets: Map<string, string>;
  /** Its own, and another CA's. Members of a cluster share them. */
  readonly certificates: ReturnType<typeof makeBoth>;
  /** What the server does with a connection. */
  accept: (socket: Socket) => void;
  /** How many connections are open. */
  connections(): number;
  /** Closes all of them. */
  hangUp(): void;
  stop(): Promise<void>;
}

export const secretName = "ebb/prod/metrics";
export const password = "p4ssw0rd-0f-th3-s0urc3";

const makeBoth = () => Promise.all([makeCertificates(), makeCertificates()]);

/** `startsPlain`: the protocol asks for TLS over the connection that is there. */
export async function startTcpServers({ startsPlain = false, certificates = makeBoth() } = {}): Promise<TcpServers> {
  const [own, other] = await certificates;
  const open = new Set<Socket>();
  const accepted = (socket: Socket) => {
    socket.on("error", () => undefined);
    servers.accept(socket);
  };
  const server: Server = startsPlain ? createServer(accepted) : createTlsServer(own.server, accepted);
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("close", () => open.delete(socket)));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const servers: TcpServers = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: base64(own.ca),
    otherCa: base64(other.ca),
    secrets: new Map(),
    certificates,
    accept: () => undefined,
    connections: () => open.size,
    hangUp() {
      for (const socket of open) socket.destroy();
    },
    stop() {
      servers.hangUp();
      return new Promise((done) => server.close(() => done()));
    },
  };
  return servers;
}

/** How a kind's double speaks. */
export interface TcpKind {
  readonly scheme: string;
  /** The parameters that read the metric of a server at this address. */
  readonly parameters: (address: string) => Readonly<Record<string, unknown>>;
  /** Answers with this number. With `accepts`, only to logins with that password, once it was asked. */
  readonly answering: (value: number, accepts?: { readonly password: string; readonly refused: () => void }) => Accept;
  /** Answers a query with these bytes. */
  readonly answeringWith: (bytes: string) => Accept;
  readonly refusal: RegExp;
}

type Accept = TcpServers["accept"];

/** The situations that are the same for every kind over TCP. */
export function tcpCases(
  servers: () => TcpServers,
  kind: TcpKind,
): Omit<Cases, "hostile" | "missing" | "empty" | "malformed" | "many"> {
  const trusting = (address = servers().address) => ({
    ...kind.parameters(address),
    certificateAuthorityData: servers().ca,
  });
  const accepting = (accept: Accept) => () => {
    servers().accept = accept;
  };
  const setSecret = (text: string) => {
    const { address, ca, secrets } = servers();
    const endpoint = `${kind.scheme}://${address}`;
    secrets.set(
      secretName,
      JSON.stringify({ endpoint, certificateAuthorityData: ca, username: "ebb", password: text }),
    );
  };
  return {
    found: () => ({
      parameters: trusting(),
      before: accepting(kind.answering(12)),
      hangUp: () => servers().hangUp(),
      expected: { values: ["12"] },
    }),
    slow: () => ({
      parameters: { ...trusting(), timeoutSeconds: 1 },
      before: accepting(kind.answeringWith("")),
      expected: { error: /no answer within 1 s/ },
    }),
    refused: () => ({ parameters: trusting("127.0.0.1:1"), expected: { error: /connection refused/ } }),
    authFailure: () => ({
      parameters: { ...trusting(), secret: secretName },
      before() {
        setSecret(password);
        servers().accept = kind.answering(1, { password: "another", refused: () => undefined });
      },
      expected: { error: kind.refusal },
    }),
    wrongCa: () => ({
      parameters: { ...trusting(), certificateAuthorityData: servers().otherCa },
      before: accepting(kind.answering(1)),
      expected: { error: /not signed by a trusted CA/ },
    }),
    wrongHost: () => ({
      parameters: { ...trusting(), tlsServerName: "db.example.com" },
      before: accepting(kind.answering(1)),
      expected: { error: /its certificate is for another name/ },
    }),
    huge: () => ({
      parameters: trusting(),
      before: accepting(kind.answeringWith("x".repeat(10 * 2 ** 20))),
      expected: { error: /larger than 2097152 bytes/ },
    }),
    dropped: () => ({
      parameters: trusting(),
      before: accepting((socket) => {
        kind.answeringWith("\0")(socket);
        socket.on("data", () => setTimeout(() => socket.destroy(), 100));
      }),
      expected: { error: /the connection broke|closed the connection/ },
    }),
    rotated: () => ({
      parameters: { ...trusting(), secret: secretName },
      before() {
        setSecret("the-0ld-0ne");
        servers().accept = kind.answering(3, { password, refused: () => setSecret(password) });
      },
      expected: { values: ["3"] },
    }),
  };
}

/** Every kind over TCP passes the contract twice: by address, and through an API server that forwards ports. */
export function tcpContract(subject: Subject): void {
  describe("by address", () => sourceContract(subject));
  describe("through the API server", () => sourceContract(throughApiServer(subject)));
}

/** Each address is the port of a service, with TLS of the kind's own over the forwarded stream. */
function throughApiServer({ open, cases, ...subject }: Subject): Subject {
  const cluster = fakeCluster();
  const service = { namespace: "shop", service: "jobs" };
  const tlsServerName = "api.internal";
  const portOf = (address: string) => Number(address.split(":").at(-1));
  const forwarded = ({ parameters: { address, ...parameters }, ...given }: Case): Case => {
    const port = portOf(String(address));
    cluster.streams.set(`shop/jobs:${port}`, ({ member }) => streamTo(member?.port ?? port));
    return { ...given, parameters: { tlsServerName, ...parameters, tls: true, via: { ...service, port: `${port}` } } };
  };
  const secretOf = (text: string) => {
    const secret = JSON.parse(text) as { readonly endpoint: string };
    return JSON.stringify({ ...secret, endpoint: `via://shop/jobs:${portOf(secret.endpoint)}`, tlsServerName });
  };
  return {
    ...subject,
    open(network) {
      const source = open({ ...network, secrets: async (...asked) => secretOf(await network.secrets(...asked)) });
      const api = () => Promise.resolve(cluster);
      return { ...source, open: (context) => source.open({ ...context, cluster: { ...context.cluster, api } }) };
    },
    cases: Object.fromEntries(
      Object.entries(cases).map(([name, given]) => [name, "notApplicable" in given ? given : () => forwarded(given())]),
    ) as Cases,
  };
}
