/** @jest-environment node */
import { request } from "node:http";
import { PassThrough, Duplex } from "node:stream";
import fc from "fast-check";
import { answerReader } from "../../../lib/aws/http/answer-reader";

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isLast: boolean;
}

/** The answer that these pieces are, or what is wrong with them. Undefined: it is not complete. */
function readPieces(pieces: readonly Buffer[], { ends = false } = {}): Read | string | undefined {
  const reader = answerReader(10_000);
  try {
    for (const piece of pieces) {
      const arrived = Buffer.from(piece);
      const answer = reader.read(arrived);
      arrived.fill("#"); // the next read arrives in the same place
      if (answer !== undefined) return { ...answer, body: Buffer.from(answer.body).toString("latin1") };
    }
    const answer = ends ? reader.end() : undefined;
    return answer && { ...answer, body: Buffer.from(answer.body).toString("latin1") };
  } catch (error) {
    return (error as Error).message;
  }
}

const bytes = (text: string) => Buffer.from(text, "latin1");
const ok = "HTTP/1.1 200 OK\r\n";

const answers: Record<string, readonly [text: string, expected: Partial<Read>]> = {
  "a length": [`${ok}Content-Length: 5\r\nDate: now\r\n\r\nhello`, { status: 200, body: "hello", isLast: false }],
  "no body": [`${ok}content-length:0\r\n\r\n`, { body: "", isLast: false }],
  "no reason": ["HTTP/1.1 503\r\ncontent-length: 1\r\n\r\n-", { status: 503, body: "-" }],
  chunks: [
    `${ok}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n1;name="x"\r\n \r\n00A\r\n0123456789\r\n0\r\n\r\n`,
    { body: "hello 0123456789", isLast: false },
  ],
  "chunks and trailers": [
    `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nsum: 1\r\nx: y\r\n\r\n`,
    { body: "a" },
  ],
  "an interim answer first": [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}content-length: 2\r\n\r\n{}`,
    { status: 200, body: "{}", isLast: false },
  ],
  "204, which has no body": ["HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "", isLast: false }],
  "a last answer": [`${ok}Connection: x, Close\r\ncontent-length: 1\r\n\r\n1`, { body: "1", isLast: true }],
  "HTTP/1.0": ["HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n1", { body: "1", isLast: true }],
  "a header twice": [
    `${ok}content-length: 0\r\nX: 1\r\nx:\t2 \r\n\r\n`,
    { headers: { "content-length": "0", x: "1, 2" } },
  ],
  "a name of every object": [`${ok}content-length: 0\r\n__proto__: 1\r\n\r\n`, { body: "" }],
};

describe.each(Object.entries(answers))("an answer with %s", (_name, [text, expected]) => {
  const whole = readPieces([bytes(text)]);

  test("is read", () => {
    expect(whole).toMatchObject(expected);
  });

  test("is the same however it is cut", () => {
    const all = bytes(text);
    for (let at = 1; at < all.length; at++) expect(readPieces([all.subarray(0, at), all.subarray(at)])).toEqual(whole);
    expect(readPieces([...all].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test("is incomplete without its last byte, also when the server sends no more", () => {
    expect(readPieces([bytes(text).subarray(0, -1)], { ends: true })).toBeUndefined();
  });

  test("is the last one when more bytes follow", () => {
    expect(readPieces([bytes(`${text}HTTP`)])).toEqual({ ...(whole as Read), isLast: true });
  });
});

test("an answer without a size ends with its connection", () => {
  const pieces = [bytes(`${ok}\r\n{"a":`), bytes("1}")];
  expect(readPieces(pieces)).toBeUndefined();
  expect(readPieces(pieces, { ends: true })).toMatchObject({ body: `{"a":1}`, isLast: true });
});

test.each<[what: string, text: string, error: RegExp]>([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n", /expected a status line of HTTP\/1.1, got "SSH-2.0/],
  ["HTTP/2", "HTTP/2 200\r\n\r\n", /status line/],
  ["a line folded into the next", `${ok}a: b\r\n c: d\r\n\r\n`, /expected a header, got " c: d"/],
  ["a header without a colon", `${ok}content-length 5\r\n\r\n`, /a header/],
  ["a space before the colon", `${ok}content-length : 5\r\n\r\n`, /a header/],
  ["a header of spaces that ends in a control", `${ok}a:${" ".repeat(16_000)}\0\r\n\r\n`, /expected a header/],
  ["two different lengths", `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\n`, /a Content-Length, got "5, 6"/],
  ["a negative length", `${ok}content-length: -1\r\n\r\n`, /a Content-Length, got "-1"/],
  ["a length in hexadecimal", `${ok}content-length: 0x5\r\n\r\n`, /a Content-Length/],
  ["a length and chunks", `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`, /got Transfer-Encoding and/],
  ["another encoding", `${ok}transfer-encoding: gzip, chunked\r\n\r\n`, /got Transfer-Encoding gzip, chunked/],
  ["a chunk without a size", `${ok}transfer-encoding: chunked\r\n\r\n;x\r\n`, /the size of a chunk, got ";x"/],
  ["a chunk of a negative size", `${ok}transfer-encoding: chunked\r\n\r\n-1\r\n`, /the size of a chunk/],
  [
    "a chunk that is too long",
    `${ok}transfer-encoding: chunked\r\n\r\n1\r\nabc`,
    /a chunk that is longer than its size/,
  ],
  ["a head without an end", ok + "a: b\r\n".repeat(3_000), /a head or a line without an end/],
  ["a size without an end", `${ok}transfer-encoding: chunked\r\n\r\n${"0".repeat(2_000)}`, /a line without an end/],
  [
    "endless trailers",
    `${ok}transfer-encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(3_000)}`,
    /a line without an end/,
  ],
  ["a body over its bound", `${ok}content-length: 10001\r\n\r\n${"x".repeat(10_001)}`, /more than 10000 bytes/],
  ["a chunk over the bound", `${ok}transfer-encoding: chunked\r\n\r\nffffffff\r\n${"x".repeat(10_001)}`, /10000 bytes/],
  ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\nxyz\r\n\r\n", /status line/],
])("%s is no answer", (_what, text, error) => {
  expect(readPieces([bytes(text)])).toMatch(error);
  expect(readPieces([...bytes(text)].map((byte) => Buffer.from([byte])))).toMatch(/expected|more than/);
});

describe("Node's client reads the same", () => {
  /** What Node's own parser makes of the bytes. */
  function readByNode(text: string): Promise<Read | string> {
    return new Promise((resolve) => {
      const incoming = new PassThrough();
      const connection = Duplex.from({ readable: incoming, writable: new PassThrough().resume() });
      const asked = request({ method: "POST", createConnection: () => connection });
      asked.on("error", (error) => resolve(error.message));
      asked.on("response", (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("error", (error) => resolve(error.message));
        answer.on("end", () => {
          const { statusCode: status = 0, headers } = answer;
          resolve({
            status,
            headers: headers as Read["headers"],
            body: Buffer.concat(pieces).toString("latin1"),
            isLast: true,
          });
        });
      });
      asked.end();
      incoming.end(bytes(text));
    });
  }

  const word = fc.stringMatching(/^[a-z]{1,5}$/);
  const body = fc.string({ unit: fc.constantFrom("{", "}", "0", "\r", "\n", "\xff"), maxLength: 20 });
  const framed = fc.oneof(
    body.map((text) => `content-length: ${text.length}\r\n\r\n${text}`),
    body.map((text) => `\r\n${text}`),
    fc.array(body.filter((text) => text !== "")).map((chunks) => {
      const all = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
      return `transfer-encoding: chunked\r\n\r\n${all.join("")}0\r\n\r\n`;
    }),
  );
  const answer = fc
    .tuple(
      fc.constantFrom(200, 201, 302, 400, 403, 500, 503),
      fc.dictionary(
        word.map((name) => `x-${name}`),
        word,
      ),
      framed,
    )
    .map(([status, headers, rest]) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return `HTTP/1.1 ${status} ok\r\n${lines.join("")}${rest}`;
    });

  /** Without the bytes that come after the answer. */
  function lengthOf(text: string): number {
    const reader = answerReader(10_000);
    const at = [...bytes(text)].findIndex((byte) => reader.read(Buffer.from([byte])) !== undefined);
    return at < 0 ? text.length : at + 1;
  }

  test("of what is right", async () => {
    await fc.assert(
      fc.asyncProperty(answer, async (text) => {
        const own = readPieces([bytes(text)], { ends: true });
        const { status, headers, body: read } = (await readByNode(text)) as Read;
        expect(own).toMatchObject({ status, body: read });
        expect({ ...(own as Read).headers }).toEqual(headers);
      }),
      { numRuns: 300 },
    );
  });

  test("of what has a wrong byte, or has none of it as an answer", async () => {
    const wrong = fc
      .tuple(answer, fc.nat(), fc.constantFrom("", "\0", "\r", "\n", " ", ":", ",", "1", "f", "-", "\r\n\r\n", "\xff"))
      .map(([text, at, byte]) => text.slice(0, at % text.length) + byte + text.slice((at % text.length) + 1));
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(wrong, async (text) => {
        const own = readPieces([bytes(text)], { ends: true });
        if (own === undefined || typeof own === "string") return;
        answered += 1;
        expect(await readByNode(text.slice(0, lengthOf(text)))).toMatchObject({ status: own.status, body: own.body });
      }),
      { numRuns: 1_000 },
    );
    expect(answered).toBeGreaterThan(100);
  });
});
