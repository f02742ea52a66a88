import { connect } from "node:net";
import { Duplex } from "node:stream";
import { Fault } from "../../../lib/model/fault";
import type { ServiceStream } from "../../../lib/model/ports/cluster";

/** A stream to a port of this machine that is no socket, as a forwarded port is none. */
export function streamTo(port: number): ServiceStream {
  const socket = connect(port, "127.0.0.1");
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (piece: Buffer, _encoding, callback) => void socket.write(piece, callback),
    destroy(error, callback) {
      socket.destroy();
      callback(error);
    },
  });
  const forwarded = Object.assign(stream, {
    bytesRead: 0,
    ref: () => (socket.ref(), forwarded),
    unref: () => (socket.unref(), forwarded),
  }) as unknown as ServiceStream & { bytesRead: number };
  socket.on("data", (piece: Buffer) => {
    forwarded.bytesRead += piece.length;
    if (!stream.push(piece)) socket.pause();
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => {
    const why = code === "ECONNREFUSED" ? `error forwarding port ${port}: connection refused` : "";
    stream.destroy(why === "" ? undefined : new Fault("unreachable", `the kubelet says: ${why}`));
  });
  socket.on("close", () => stream.destroy());
  return forwarded;
}
