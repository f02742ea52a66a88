import { type AddressInfo, createServer } from "node:net";
import type { PostLimits } from "../../../lib/aws/http/connections";
import { openPost } from "../../../lib/aws/http/post";
import { loopbackServers } from "../../backends/loopback";

const servers = loopbackServers();
const limits: PostLimits = { connectMs: 500, answerMs: 1_000, maxBytes: 1_000, maxSockets: 2 };
const request = { headers: {}, body: "{}", signal: new AbortController().signal };

test("a server that never answers: TimeoutError, and the connection is closed", async () => {
  let isClosed = () => {};
  const closed = new Promise<void>((resolve) => (isClosed = resolve));
  const { url } = await servers.start((asked) => void asked.on("close", isClosed));
  const answer = openPost(limits)({ ...request, url: new URL(url) });
  await expect(answer).rejects.toMatchObject({ name: "TimeoutError", message: "no answer within 1000 ms" });
  await closed;
});

test("a server that accepts and never shakes hands: TimeoutError", async () => {
  const sockets: { destroy(): void }[] = [];
  const mute = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await new Promise((resolve) => mute.once("listening", resolve));
  const url = new URL(`https://127.0.0.1:${(mute.address() as AddressInfo).port}`);
  const answer = openPost(limits)({ ...request, url });
  await expect(answer).rejects.toMatchObject({ name: "TimeoutError", message: "no connection within 500 ms" });
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test("an answer that breaks off is a reset, whatever came before", async () => {
  const { url } = await servers.start((asked, response) => {
    asked.resume().on("end", () => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
  });
  await expect(openPost(limits)({ ...request, url: new URL(url) })).rejects.toMatchObject({ code: "ECONNRESET" });
});
