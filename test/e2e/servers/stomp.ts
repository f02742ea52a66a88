import { once } from "node:events";
import { connect } from "node:net";

/** A consumer of a queue. It holds up to `prefetch` messages that it has not acknowledged. */
export interface StompConsumer {
  /** The messages that it got so far. */
  readonly received: number;
  acknowledgeAll(): void;
  stop(): Promise<void>;
}

interface Options {
  readonly port: number;
  readonly user: { readonly username: string; readonly password: string };
  readonly queue: string;
  readonly prefetch: number;
}

/** By STOMP 1.2, whose frames are text: https://stomp.github.io/stomp-specification-1.2.html */
export async function startStompConsumer({ port, user, queue, prefetch }: Options): Promise<StompConsumer> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  const frame = (...lines: readonly string[]) => socket.write(`${lines.join("\n")}\n\n\0`);
  const pending: string[] = [];
  let received = 0;
  let acknowledges = false;
  const acknowledge = () => {
    if (acknowledges) for (const id of pending.splice(0)) frame("ACK", `id:${id}`);
  };
  let rest = "";
  socket.on("data", (chunk: string) => {
    const frames = (rest + chunk).split("\0");
    rest = frames.pop() ?? "";
    for (const text of frames) {
      const [, id] = /^ack:(.*)$/m.exec(text) ?? [];
      if (id === undefined) continue;
      received += 1;
      pending.push(id);
    }
    acknowledge();
  });
  await once(socket, "connect");
  frame("CONNECT", "accept-version:1.2", "host:/", `login:${user.username}`, `passcode:${user.password}`);
  frame("SUBSCRIBE", "id:0", `destination:/amq/queue/${queue}`, "ack:client-individual", `prefetch-count:${prefetch}`);
  return {
    get received() {
      return received;
    },
    acknowledgeAll() {
      acknowledges = true;
      acknowledge();
    },
    async stop() {
      const closed = once(socket, "close");
      socket.destroy();
      await closed;
    },
  };
}
