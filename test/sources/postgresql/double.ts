import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** What the client sent for one query. */
export interface ReceivedStatement {
  readonly text: string;
  readonly bound: readonly string[];
}

export interface Double {
  /** PEM, for connections that ask for TLS. */
  readonly certificate: { readonly key: string; readonly cert: string };
  /** Whether a login is right, or what refuses it. Without it, no password is asked for. */
  readonly login?: (password: string) => boolean | Buffer;
  /** The bytes that answer the query itself. Undefined: none. */
  readonly answer: (asked: ReceivedStatement) => Buffer | undefined;
  /** Hears each statement around the query, such as BEGIN. It may give another answer than the server's own. */
  readonly around?: (statement: string) => Buffer | undefined;
}

/** A message: its type, and its length with its body. */
export function message(type: string, ...parts: readonly (string | Buffer | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === "string") return Buffer.from(`${part}\0`);
      return typeof part === "number" ? int32(part) : part;
    }),
  );
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** `status`: idle, or in a transaction. */
const ready = (status: "I" | "T") => message("Z", Buffer.from(status));

export function failure(code: string, text: string): Buffer {
  return message("E", Buffer.from(`SERROR\0VERROR\0C${code}\0M${text}\0\0`));
}

/** A table of texts. */
export function rows(table: readonly (readonly (string | null)[])[], columns = table[0]?.length ?? 1): Buffer {
  const column = Buffer.concat([Buffer.from("n\0"), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)]);
  const values = table.map((row) =>
    message(
      "D",
      int16(row.length),
      ...row.flatMap((value) => (value === null ? [-1] : [Buffer.byteLength(value), Buffer.from(value)])),
    ),
  );
  return Buffer.concat([
    message("T", int16(columns), ...Array.from({ length: columns }, () => column)),
    ...values,
    message("C", `SELECT ${table.length}`),
  ]);
}

/** Speaks as much of PostgreSQL's protocol as a login and a query need. */
export function serve({ certificate, login, answer, around }: Double): (socket: Socket) => void {
  return (plain) => {
    plain.once("data", (first: Buffer) => {
      if (first.length !== 8 || first.readInt32BE(4) !== 80877103) return talk(plain, first);
      plain.write("S");
      const socket = new TLSSocket(plain, { isServer: true, ...certificate });
      socket.on("error", () => undefined);
      talk(socket, Buffer.alloc(0));
    });
  };

  function talk(socket: Socket, first: Buffer): void {
    let rest = first;
    let hasStarted = false;
    let text = "";
    let bound: readonly string[] = [];
    let status: "I" | "T" = "I";

    function step(): boolean {
      const at = hasStarted ? 1 : 0;
      if (rest.length < at + 4) return false;
      const end = at + rest.readInt32BE(at);
      if (rest.length < end) return false;
      const [type, body] = [hasStarted ? String.fromCharCode(rest[0]!) : "startup", rest.subarray(at + 4, end)];
      rest = rest.subarray(end);
      hasStarted = true;
      react(type, body);
      return true;
    }

    function react(type: string, body: Buffer): void {
      const welcome = () => socket.write(Buffer.concat([message("R", 0), ready(status)]));
      if (type === "startup") {
        if (login === undefined) welcome();
        else socket.write(message("R", 3));
      } else if (type === "p") {
        const isRight = login?.(body.toString("utf8", 0, body.length - 1)) ?? false;
        const refused = failure("28P01", `password authentication failed for ${body.toString("utf8")}`);
        if (isRight === true) welcome();
        else socket.end(isRight || refused);
      } else if (type === "Q") {
        const [statement = ""] = body.toString("utf8").split("\0");
        const other = around?.(statement);
        if (other === undefined) status = statement.startsWith("BEGIN") ? "T" : "I";
        socket.write(Buffer.concat([other ?? message("C", statement.split(" ", 1)[0] ?? ""), ready(status)]));
      } else if (type === "P") {
        [, text = ""] = body.toString("utf8").split("\0");
      } else if (type === "B") {
        bound = boundIn(body);
      } else if (type === "S") {
        const bytes = answer({ text, bound });
        if (bytes === undefined) return;
        const isWhole = bytes.length === 0 || !"~".includes(String.fromCharCode(bytes.at(-1)!));
        const parts = [message("1"), message("2"), bytes, ...(isWhole ? [ready(status)] : [])];
        socket.write(Buffer.concat(parts));
      }
    }

    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (step());
    });
    while (step());
  }
}

/** The values of a Bind message, all in text. */
function boundIn(body: Buffer): readonly string[] {
  let at = body.indexOf(0, body.indexOf(0) + 1) + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at);
    const value = body.toString("utf8", at + 4, at + 4 + length);
    at += 4 + length;
    return value;
  });
}
