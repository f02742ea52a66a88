import type { Socket } from "node:net";

/** What a double of Redis answers a command with: the bytes as they are. Undefined: nothing. */
export type Answer = (command: readonly string[], socket: Socket) => string | undefined;

export const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
export const list = (items: readonly string[]) => `*${items.length}\r\n${items.join("")}`;

/** Reads commands as clients write them, lists of bulk strings, and writes each answer. */
export function serve(answer: Answer): (socket: Socket) => void {
  return (socket) => {
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let read = readCommand(rest); read !== undefined; read = readCommand(rest)) {
        rest = rest.subarray(read.length);
        const bytes = answer(read.command, socket);
        if (bytes !== undefined) socket.write(bytes);
      }
    });
  };
}

/** Undefined: not yet whole. */
function readCommand(bytes: Buffer): { readonly command: readonly string[]; readonly length: number } | undefined {
  let at = 0;
  const line = () => {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return undefined;
    const text = bytes.toString("latin1", at + 1, end);
    at = end + 2;
    return Number(text);
  };
  const count = line();
  if (count === undefined) return undefined;
  const command: string[] = [];
  for (let part = 0; part < count; part += 1) {
    const length = line();
    if (length === undefined || bytes.length < at + length + 2) return undefined;
    command.push(bytes.toString("utf8", at, at + length));
    at += length + 2;
  }
  return { command, length: at };
}
