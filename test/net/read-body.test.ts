import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import type { MemoryHold } from "../../lib/net/memory";
import { type BadBody, type Body, type BodyReading, readBody } from "../../lib/net/read-body";

interface Given extends Partial<Pick<BodyReading, "maxBytes" | "trim">> {
  readonly status?: number;
  readonly encoding?: string;
  /** At which number of bytes the memory evicts this answer. */
  readonly evictAt?: number;
}

function open({ status = 200, encoding, maxBytes = 1_000, trim, evictAt = Infinity }: Given = {}) {
  const stream = new PassThrough();
  const headers = encoding === undefined ? {} : { "content-encoding": encoding };
  const response = Object.assign(stream, { statusCode: status, headers }) as unknown as IncomingMessage;
  let held = 0;
  let giveUp = () => {};
  const hold: MemoryHold = {
    add(bytes) {
      held += bytes;
      if (held > evictAt) giveUp();
    },
    end: () => undefined,
  };
  const outcomes: (Body | BadBody)[] = [];
  giveUp = readBody(response, { maxBytes, hold, trim }, (outcome) => outcomes.push(outcome));
  return { stream, outcomes, giveUp: () => giveUp(), held: () => held };
}

/** What a body in these pieces is read as. */
async function read(pieces: readonly (string | Buffer)[], given: Given = {}) {
  const { stream, outcomes, held } = open(given);
  for (const piece of pieces) stream.write(piece);
  stream.end();
  while (outcomes.length === 0) await new Promise(setImmediate);
  expect(outcomes).toHaveLength(1);
  const [outcome] = outcomes;
  const shown = outcome !== undefined && "body" in outcome ? { ...outcome, body: outcome.body.toString() } : outcome;
  return { outcome: shown, held: held() };
}

const list = '{"kind":"L","items":[{"a":1},{"b":"xx"}]}';
const trim = { keep: (item: unknown) => ({ kept: item }) };

test("a body is its bytes, plain or compressed, and each byte counts in memory", async () => {
  const pieces = ["[1,", "2]"];
  const plain = await read(pieces);
  expect(plain.outcome).toEqual({ body: "[1,2]", kept: 0 });
  expect(plain.held).toBeGreaterThan(15);
  for (const encoding of ["gzip", "GZIP", "identity", "Identity"]) {
    const sent = encoding.toLowerCase() === "gzip" ? [gzipSync("[1,2]")] : pieces;
    expect(await read(sent, { encoding })).toEqual(plain);
  }
});

test("of a list, the objects are kept as they are trimmed, and the rest is the body", async () => {
  const { outcome, held } = await read([list.slice(0, 30), list.slice(30)], { trim });
  const objects = [{ kept: { a: 1 } }, { kept: { b: "xx" } }];
  expect(outcome).toEqual({ body: '{"kind":"L","items":[{},{}]}', objects, kept: expect.any(Number) as number });
  const { kept } = outcome as Pick<Body, "kept">;
  expect(kept).toBeGreaterThan(100);
  expect(held).toBeGreaterThan(kept);
});

test("of a list, the members that nobody reads are left out", async () => {
  const { outcome } = await read(['{"items":[{"a":1,"b":[2]}]}'], { trim: { ...trim, unread: ["b"] } });
  expect(outcome).toMatchObject({ objects: [{ kept: { a: 1, b: [] } }] });
});

test.each([300, 404, 500])("a refusal (%i) is no list", async (status) => {
  expect((await read([list], { trim, status })).outcome).toEqual({ body: list, kept: 0 });
});

test("an answer with status 299 is a list", async () => {
  expect((await read([list], { trim, status: 299 })).outcome).toHaveProperty("objects");
});

test("of a long refusal, 64 KiB are read", async () => {
  const given = { status: 300, maxBytes: 10 * 2 ** 20 };
  const [all, more] = ["x".repeat(65_536), "y".repeat(100)];
  expect((await read([all], given)).outcome).toEqual({ body: all, kept: 0 });
  expect((await read([all.slice(0, -50), "x".repeat(50) + more, more], given)).outcome).toEqual({ body: all, kept: 0 });
});

test.each<[string, readonly (string | Buffer)[], Given, BadBody]>([
  ["too large", ["x".repeat(1_001)], {}, { failure: "tooLarge", detail: "the answer is larger than 1000 bytes" }],
  [
    "too large once unpacked",
    [gzipSync("x".repeat(1_001))],
    { encoding: "gzip" },
    { failure: "tooLarge", detail: "the answer is larger than 1000 bytes" },
  ],
  [
    "too large as it is sent",
    [Buffer.concat([gzipSync("x"), Buffer.alloc(1_000)])],
    { encoding: "gzip" },
    { failure: "tooLarge", detail: "the answer is larger than 1000 bytes" },
  ],
  [
    "of another encoding",
    ["x"],
    { encoding: `br${"x".repeat(100)}` },
    { failure: "malformed", detail: `expected gzip or no encoding, got "br${"x".repeat(38)}"` },
  ],
  [
    "no gzip",
    ["hello"],
    { encoding: "gzip" },
    { failure: "malformed", detail: "expected a gzip body: incorrect header check" },
  ],
  [
    "an item that is no JSON",
    ['{"items":[{a}]}'],
    { trim },
    { failure: "malformed", detail: "an item of the list is no JSON" },
  ],
  [
    "an item that is larger than any object",
    ['{"items":[{"a":"', "x".repeat(2 ** 21), '"}]}'],
    { trim, maxBytes: 2 ** 23 },
    { failure: "tooLarge", detail: "an item has more than 2097152 bytes" },
  ],
])("an answer that is %s is no answer", async (_what, pieces, given, expected) => {
  expect((await read(pieces, given)).outcome).toMatchObject(expected);
});

test("an answer of exactly the most bytes is one", async () => {
  expect((await read(["x".repeat(1_000)])).outcome).toMatchObject({ kept: 0 });
  expect((await read([gzipSync("x".repeat(1_000))], { encoding: "gzip" })).outcome).toMatchObject({ kept: 0 });
});

test("after 10,000 pieces, those of less than 64 bytes on average are no answer", () => {
  const { stream, outcomes } = open({ maxBytes: 2 ** 24 });
  for (let sent = 0; sent < 10_000; sent += 1) stream.emit("data", Buffer.from("x"));
  for (let sent = 0; sent < 156; sent += 1) stream.emit("data", Buffer.from("x"));
  expect(outcomes).toEqual([]);
  for (let sent = 0; sent < 10; sent += 1) stream.emit("data", Buffer.from("x"));
  expect(outcomes).toEqual([{ failure: "malformed", detail: "the answer comes in pieces of 1 B on average" }]);
  const large = open({ maxBytes: 2 ** 24 });
  for (let sent = 0; sent < 12_000; sent += 1) large.stream.emit("data", Buffer.alloc(64));
  expect(large.outcomes).toEqual([]);
});

test.each<[string, Given]>([
  ["plain", {}],
  ["compressed", { encoding: "gzip" }],
])("a %s answer that is given up, or evicted while it is read, has no outcome", async (_what, given) => {
  const body = given.encoding === "gzip" ? gzipSync(list) : Buffer.from(list);
  const { stream, outcomes, giveUp, held } = open({ ...given, trim });
  giveUp();
  stream.end(body);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect([outcomes, held()]).toEqual([[], 0]);

  const evicted = open({ trim, evictAt: 100 });
  evicted.stream.end(Buffer.from(list));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(evicted.outcomes).toEqual([]);
});
