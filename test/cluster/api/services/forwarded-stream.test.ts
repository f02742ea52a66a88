import { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { WebSocket } from "ws";
import { faultOfChannel, ForwardedStream } from "../../../../lib/cluster/api/services/forwarded-stream";
import { Fault } from "../../../../lib/model/fault";

const port = 6_379;
const beginning = (channel: number, announced = port) => Buffer.of(channel, announced & 255, announced >> 8);

/** A WebSocket without a network, which remembers what is done with it. */
class Channel extends EventEmitter {
  readonly sent: (readonly [data: string, isBinary: unknown])[] = [];
  readonly done: string[] = [];
  sendError: Error | undefined;

  send(data: Buffer, { binary }: { readonly binary?: boolean }, callback: (error?: Error) => void): void {
    this.sent.push([data.toString("latin1"), binary]);
    callback(this.sendError);
  }
  pause = () => void this.done.push("pause");
  resume = () => void this.done.push("resume");
  close = () => void this.done.push("close");
  terminate = () => void this.done.push("terminate");
}

function open() {
  const channel = new Channel();
  const stream = new ForwardedStream(channel as unknown as WebSocket, new Socket(), port);
  const errors: unknown[] = [];
  stream.on("error", (error) => errors.push(error));
  const receive = (...messages: readonly Buffer[]) => {
    for (const message of messages) channel.emit("message", message, true);
  };
  return { channel, stream, errors, receive };
}

/** A stream whose two channels are open. */
async function opened() {
  const one = open();
  one.receive(beginning(0), beginning(1));
  await one.stream.opened;
  return one;
}

const turn = () => new Promise(setImmediate);

test("a stream is open when both of its channels are, and not before", async () => {
  const { stream, receive } = open();
  let isOpen = false;
  void stream.opened.then(() => (isOpen = true));
  receive(beginning(0));
  await turn();
  expect(isOpen).toBe(false);
  receive(Buffer.of(1), beginning(1));
  await turn();
  expect(isOpen).toBe(true);
});

test("data goes out as binary messages of channel 0, and comes in without the channel", async () => {
  const { stream, channel, receive } = await opened();
  stream.write("PING");
  await turn();
  expect(channel.sent).toEqual([["\0PING", true]]);
  receive(Buffer.from("\0+PONG"), Buffer.of(0));
  expect((stream.read() as Buffer).toString()).toBe("+PONG");
  expect(stream.bytesRead).toBe(5);
});

test.each<[string, Buffer, string]>([
  ["another port", beginning(0, 22), "expected port 6379 at the beginning of channel 0, got something else"],
  ["more than its port", Buffer.from([...beginning(0), 0]), "expected port 6379 at the beginning of channel 0"],
  ["half a port", Buffer.of(1, port & 255), "expected port 6379 at the beginning of channel 1, got something else"],
  ["another channel", Buffer.of(2, 0), "expected channel 0 or 1, got channel 2"],
  ["nothing", Buffer.alloc(0), "expected channel 0 or 1, got an empty message"],
])("a stream that begins with %s is not the protocol", async (_what, message, expected) => {
  const { stream, receive } = open();
  receive(message);
  await expect(stream.opened).rejects.toMatchObject({
    kind: "badAnswer",
    message: expect.stringContaining(`port forwarding: ${expected}`) as string,
  });
  expect(stream.destroyed).toBe(true);
});

test("a text message is not the protocol", async () => {
  const { stream, channel } = open();
  channel.emit("message", Buffer.from("hello"), false);
  await expect(stream.opened).rejects.toMatchObject({
    ...{ kind: "badAnswer", message: "port forwarding: expected binary messages, got text" },
  });
});

test("what the kubelet says ends the stream: without what acts on a terminal, and cut", async () => {
  const { errors, receive } = await opened();
  receive(Buffer.from(`\u0001 refused\u001b\u202e${"x".repeat(2_000)} \n`));
  await turn();
  const said = ` refused  ${"x".repeat(290)}`.trim();
  expect(errors).toMatchObject([{ kind: "unreachable", message: `the kubelet says: ${said}` }]);
});

test("what the kubelet says has no line break at its end", async () => {
  const { errors, receive } = await opened();
  receive(Buffer.from("\u0001refused \n"));
  await turn();
  expect(errors).toMatchObject([{ message: "the kubelet says: refused" }]);
});

test("a channel that closes ends an open stream, and breaks one that is not open yet", async () => {
  const { stream, channel, errors } = await opened();
  stream.resume();
  channel.emit("close");
  await turn();
  await turn();
  expect([stream.readableEnded, errors]).toEqual([true, []]);

  const early = open();
  early.receive(beginning(0));
  early.channel.emit("close");
  await expect(early.stream.opened).rejects.toMatchObject({
    ...{ kind: "unreachable", message: "the API server closed the connection" },
  });
  expect(early.stream.destroyed).toBe(true);
});

test("a full stream pauses its channel, and resumes it when it is read", async () => {
  const { stream, channel, receive } = await opened();
  receive(Buffer.concat([Buffer.of(0), Buffer.alloc(2 ** 20)]));
  expect(channel.done).toContain("pause");
  channel.done.length = 0;
  stream.resume();
  await turn();
  expect(channel.done).toContain("resume");
});

test("a write that fails breaks the stream, and its end closes the channel", async () => {
  const { stream, channel, errors } = await opened();
  channel.sendError = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  stream.write("PING");
  await turn();
  expect(errors).toMatchObject([{ kind: "unreachable", message: "write EPIPE" }]);

  const ended = await opened();
  ended.stream.end();
  await turn();
  expect(ended.channel.done).toContain("close");
});

test("a stream holds the process no longer than its socket", () => {
  const socket = new Socket();
  const calls: string[] = [];
  jest.spyOn(socket, "ref").mockImplementation(() => (calls.push("ref"), socket));
  jest.spyOn(socket, "unref").mockImplementation(() => (calls.push("unref"), socket));
  const stream = new ForwardedStream(new Channel() as unknown as WebSocket, socket, port);
  expect([stream.ref(), stream.unref()]).toEqual([stream, stream]);
  expect(calls).toEqual(["ref", "unref"]);
});

test.each<[string, NodeJS.ErrnoException, object]>([
  ["a broken socket", errorOf("ECONNREFUSED"), { kind: "unreachable", message: "connection refused" }],
  [
    "a message that is none",
    errorOf("WS_ERR_INVALID_OPCODE"),
    { kind: "badAnswer", message: "port forwarding: expected WebSocket's frames, got something else (why)" },
  ],
  ["an error without a code", errorOf(undefined), { kind: "badAnswer" }],
  ["a fault", new Fault("throttled", "later"), { kind: "throttled", message: "later" }],
])("what a channel reports: %s", (_what, error, expected) => {
  expect(faultOfChannel(error)).toMatchObject(expected);
});

function errorOf(code: string | undefined): NodeJS.ErrnoException {
  return Object.assign(new Error("why"), code === undefined ? {} : { code });
}
