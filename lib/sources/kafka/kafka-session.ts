import Broker from "kafkajs/src/broker";
import Connection, { type LibrarySocket, type Logger, type Sasl } from "kafkajs/src/network/connection";
import type { Socket } from "node:net";
import { unlessAborted } from "../../async/within-time";
import { Fault, errorText } from "../../model/fault";
import type { SourceNetwork } from "../network/network";
import { boundAnswers, faultOfSocket, openSocket } from "../network/tcp";
import type { Opening, Protocol, TcpSession } from "../network/tcp-client";
import { awsIamRole, mskToken } from "./aws-iam";
import { bearer, type KafkaCredential, kafkaCredential, saslOf } from "./kafka-credential";
import { badAnswer } from "../network/as-reading";

export interface KafkaSession extends TcpSession {
  /** Rejects with the broker's KafkaRefusal, or with a Fault if there is no answer. */
  call<T>(send: (broker: Broker) => Promise<T>): Promise<T>;
}

export class KafkaRefusal extends Error {
  constructor(readonly type: string) {
    super(type);
    this.name = "KafkaRefusal";
  }
}

const maxBytes = 2 * 1024 * 1024;
/** The library's limits; ebb's are shorter. */
const longMs = 60_000;
const metadataKey = 3;

const silent: Logger = {
  namespace: () => silent,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export function kafkaProtocol({
  awsCredentials,
  now,
}: Pick<SourceNetwork, "awsCredentials" | "now">): Protocol<KafkaCredential, KafkaSession> {
  return {
    form: kafkaCredential,
    async open(opening) {
      const { peer, credential, signal } = opening;
      const sasl =
        peer.role === awsIamRole
          ? bearer(await mskToken(peer.host, awsCredentials, new Date(now())))
          : credential?.login && saslOf(credential.login);
      const socket = await openSocket(peer, opening, signal);
      const session = sessionOver(socket, opening, sasl ?? null);
      try {
        await unlessAborted(session.connect(), signal);
        return session;
      } catch (error) {
        session.destroy();
        throw error instanceof KafkaRefusal ? badAnswer(`the broker says ${error.type}`) : error;
      }
    },
  };
}

function sessionOver(socket: Socket, { peer }: Opening<KafkaCredential>, sasl: Sasl | null) {
  const beginCall = boundAnswers(socket, maxBytes);
  let broken: Fault | undefined;
  socket.once("error", (error) => {
    broken ??= faultOfSocket(error);
  });
  const connection = new Connection({
    ...{ host: peer.host, port: peer.port, clientId: "ebb", logger: silent, sasl },
    ...{ connectionTimeout: longMs, requestTimeout: longMs, enforceRequestTimeout: false },
    socketFactory({ onConnect }) {
      setImmediate(onConnect);
      return wholeAnswers(socket);
    },
  });
  // Throttling would poll the library's queue every millisecond. The broker itself delays such clients.
  const never = () => undefined;
  Object.assign(connection.requestQueue, { maybeThrottle: never, scheduleCheckPendingRequests: never });
  const broker = new Broker({
    logger: silent,
    authenticationTimeout: longMs,
    allowAutoTopicCreation: false,
    connectionPool: {
      ...{ host: peer.host, port: peer.port, sasl, connectionTimeout: longMs },
      async getConnection() {
        if (!connection.isConnected()) await connection.connect();
        return connection;
      },
      isConnected: () => connection.isConnected(),
      isAuthenticated: () => connection.isAuthenticated(),
      setVersions: (versions) => connection.setVersions(versions),
      setSupportAuthenticationProtocol: (isSupported) => connection.setSupportAuthenticationProtocol(isSupported),
      send: (request) => connection.send(request),
      destroy: () => Promise.resolve(),
    },
  });
  const isUsable = () => broken === undefined && !socket.destroyed && connection.isConnected();

  async function call<T>(send: (broker: Broker) => Promise<T>): Promise<T> {
    beginCall();
    try {
      return await send(broker);
    } catch (error) {
      throw broken ?? meaningOf(error);
    }
  }

  return {
    socket,
    isUsable,
    call,
    async connect() {
      await call(() => broker.connect());
      // Older brokers may create the topics of a metadata request.
      if ((broker.versions[metadataKey]?.maxVersion ?? 0) < 4)
        throw badAnswer("expected Kafka 0.11 or newer, got an older one");
    },
    destroy() {
      connection.requestQueue.destroy();
      socket.destroy();
    },
  };
}

/** Brokers' texts are foreign, so only their errors' names are used. */
function meaningOf(error: unknown): unknown {
  const { name, type } = error as { readonly name?: string; readonly type?: unknown };
  if (name === "KafkaJSSASLAuthenticationError")
    return new Fault("unauthorized", "the broker does not accept the credential");
  if (typeof type === "string" && /^[A-Z_]+$/.test(type)) return new KafkaRefusal(type);
  if (name?.startsWith("KafkaJSConnection") === true)
    return new Fault("unreachable", "the connection broke within the answer");
  return badAnswer(`expected an answer in Kafka's protocol (${errorText(error)})`);
}

/** Gives the library whole answers of a bounded size. Without this, an unreadable one ends the process. */
function wholeAnswers(socket: Socket): LibrarySocket {
  let take: (answer: Buffer) => void = () => undefined;
  let pieces: Buffer[] = [];
  let bytes = 0;
  let needed = 4;
  const refuse = (what: string) => socket.destroy(badAnswer(what));
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    while (bytes >= needed && !socket.destroyed) {
      const all = Buffer.concat(pieces);
      const size = all.readInt32BE(0);
      if (size > maxBytes) return refuse(`the answer is larger than ${maxBytes} bytes`);
      if (size < 4) return refuse("expected an answer in Kafka's protocol");
      needed = 4 + size;
      pieces = [all];
      if (bytes < needed) return;
      pieces = [all.subarray(needed)];
      bytes -= needed;
      const answer = all.subarray(0, needed);
      needed = 4;
      try {
        take(answer);
      } catch {
        return refuse("expected an answer in Kafka's protocol");
      }
    }
  });
  return {
    on(event, listener) {
      if (event === "data") take = listener as typeof take;
      // A forwarded port may close without an end, which the library does not hear.
      else if (event === "end") socket.once("close", () => listener());
      else socket.on(event, (value: unknown) => listener(value as never));
    },
    write: (data, encoding) => socket.write(data, encoding),
    end: () => socket.destroy(),
    unref: () => socket.unref(),
  };
}
