import * as net from "node:net";
import * as tls from "node:tls";
import { answerReader, type AnswerReader, type HttpAnswer } from "./answer-reader";

export interface Exchange {
  readonly request: string;
  readonly maxBytes?: number | undefined;
  answered(answer: HttpAnswer): void;
  failed(error: Error): void;
}

export interface PendingRequest extends Exchange {
  /** The answer's head is complete, and its body is not. */
  began(): void;
}

/** One request at a time. */
export interface AwsConnection {
  readonly isOpen: boolean;
  /** Only after the last answer is complete. */
  send(pending: PendingRequest): void;
  destroy(error: Error): void;
}

export interface AwsConnectionOptions {
  readonly connectMs: number;
  readonly maxBytes: number;
  readonly session: Buffer | undefined;
  readonly keepSession: (session: Buffer) => void;
  readonly closed: (connection: AwsConnection) => void;
}

/** All connections read into it. Each copies its bytes before the next read. */
const arrival = Buffer.allocUnsafeSlow(64 * 1024);

export function connect(
  origin: URL,
  { connectMs, maxBytes, session, keepSession, closed }: AwsConnectionOptions,
): AwsConnection {
  const socket = openSocket(origin, session, take);
  let isReady = false;
  let isOpen = true;
  let pending: PendingRequest | undefined;
  let reader: AnswerReader | undefined;

  const connecting = setTimeout(() => close(timeout(`no connection within ${connectMs} ms`)), connectMs);
  const connection: AwsConnection = {
    get isOpen() {
      return isOpen;
    },
    send(given) {
      pending = given;
      reader = answerReader(given.maxBytes ?? maxBytes);
      socket.ref();
      if (isReady) socket.write(given.request);
    },
    destroy: close,
  };

  function close(error: Error): void {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(connecting);
    socket.destroy();
    closed(connection);
    release()?.failed(error);
  }

  function release(): PendingRequest | undefined {
    const last = pending;
    pending = undefined;
    reader = undefined;
    return last;
  }

  function advance(read: (reader: AnswerReader) => HttpAnswer | undefined): void {
    if (reader === undefined) return close(reset("the server sent what nobody asked"));
    const hadHead = reader.hasHead;
    let answer: HttpAnswer | undefined;
    try {
      answer = read(reader);
    } catch (error) {
      return close(error as Error);
    }
    if (answer === undefined) {
      if (!hadHead && reader.hasHead) pending?.began();
      return;
    }
    const last = release();
    if (answer.isLast) close(reset("the answer was the last one"));
    else socket.unref();
    last?.answered(answer);
  }

  function take(count: number): boolean {
    advance((reading) => reading.read(arrival.subarray(0, count)));
    return isOpen;
  }

  socket.once(origin.protocol === "http:" ? "connect" : "secureConnect", () => {
    clearTimeout(connecting);
    isReady = true;
    if (pending !== undefined) socket.write(pending.request);
  });
  socket.on("session", keepSession);
  socket.on("end", () => {
    if (pending !== undefined) advance((reading) => reading.end());
    close(reset("the answer broke off"));
  });
  socket.on("error", close);
  socket.on("close", () => close(reset("the connection was closed")));
  return connection;
}

function openSocket(
  { protocol, hostname, port }: URL,
  session: Buffer | undefined,
  callback: (count: number) => boolean,
): net.Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  const onread = { buffer: arrival, callback };
  if (protocol === "http:") return net.connect({ host, port: Number(port) || 80, noDelay: true, onread });
  const options: tls.ConnectionOptions & Pick<net.TcpSocketConnectOpts, "onread"> = {
    host,
    port: Number(port) || 443,
    servername: net.isIP(host) === 0 ? host : "",
    ALPNProtocols: ["http/1.1"],
    onread,
    ...(session && { session }),
  };
  return tls.connect(options).setNoDelay(true);
}

export function timeout(message: string): Error {
  return Object.assign(new Error(message), { name: "TimeoutError" });
}

/** Like Node's error for a broken connection, which is retried. */
export function reset(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
