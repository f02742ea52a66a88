import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { explain } from "../../../net/exchange";
import { Fault } from "../../../model/fault";
import type { ServiceStream } from "../../../model/ports/cluster";

/** Kubelets send 32 KB at most. */
export const maxMessage = 1024 * 1024;

const longestError = 300;

const dataChannel = 0;
const errorChannel = 1;
const toData = Buffer.of(dataChannel);

/**
 * Each message of the WebSocket begins with its channel, and each channel with the port.
 * k8s.io/kubelet/pkg/cri/streaming/portforward/websocket.go
 *
 * The protocol has no half-closed connections: ending the stream closes it.
 */
export class ForwardedStream extends Duplex implements ServiceStream {
  bytesRead = 0;
  /** Resolves when both channels are open. Rejects with a Fault. */
  readonly opened: Promise<void>;
  readonly #channel: WebSocket;
  readonly #socket: Socket;
  readonly #started = new Set<number>();

  constructor(channel: WebSocket, socket: Socket, port: number) {
    super({ allowHalfOpen: false });
    this.#channel = channel;
    this.#socket = socket;
    this.opened = new Promise((resolve, reject) => {
      this.once("error", reject);
      this.once("close", () => reject(new Fault("unreachable", "the API server closed the connection")));
      channel.on("message", (message: Buffer, isBinary) => {
        const fault = isBinary ? this.#take(message, port) : notTheProtocol("binary messages", "text");
        if (fault !== undefined) this.destroy(fault);
        else if (this.#started.size === 2) resolve();
      });
    });
    this.opened.catch(() => undefined);
    channel.on("error", (error) => this.destroy(faultOfChannel(error)));
    channel.on("close", () => {
      if (this.#started.size === 2) this.push(null);
      else this.destroy();
    });
  }

  #take(message: Buffer, port: number): Fault | undefined {
    const [channel = -1] = message;
    const content = message.subarray(1);
    if (channel !== dataChannel && channel !== errorChannel)
      return notTheProtocol("channel 0 or 1", message.length === 0 ? "an empty message" : `channel ${channel}`);
    if (content.length === 0) return undefined;
    if (!this.#started.has(channel)) {
      if (content.length !== 2 || content.readUInt16LE(0) !== port)
        return notTheProtocol(`port ${port} at the beginning of channel ${channel}`, "something else");
      this.#started.add(channel);
      return undefined;
    }
    if (channel === errorChannel) return new Fault("unreachable", `the kubelet says: ${printable(content)}`);
    this.bytesRead += content.length;
    if (!this.push(content)) this.#channel.pause();
    return undefined;
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#channel.send(Buffer.concat([toData, chunk]), { binary: true }, (error) =>
      callback(error ? faultOfChannel(error) : null),
    );
  }

  override _final(callback: () => void): void {
    this.#channel.close();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#channel.terminate();
    callback(error);
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }
}

function notTheProtocol(expected: string, got: string): Fault {
  return new Fault("badAnswer", `port forwarding: expected ${expected}, got ${got}`);
}

function printable(text: Buffer): string {
  return text
    .subarray(0, 4 * longestError)
    .toString("utf8")
    .replace(/[\p{Cc}\p{Cf}]/gu, " ")
    .slice(0, longestError)
    .trim();
}

/** `ws` reports errors of the socket, and invalid messages. */
export function faultOfChannel(error: NodeJS.ErrnoException): Fault {
  if (error instanceof Fault) return error;
  const isBroken = error.code !== undefined && !error.code.startsWith("WS_ERR_");
  if (isBroken) return new Fault("unreachable", explain(error), { cause: error });
  return new Fault("badAnswer", `port forwarding: expected WebSocket's frames, got something else (${error.message})`);
}
