import { Fault } from "../../../lib/model/fault";
import { countKey, countStream, type SendCommand } from "../../../lib/sources/redis/count";
import type { Reply } from "../../../lib/sources/redis/redis-session";

const stream: Reply = ["length", 100, "last-generated-id", "9-1"];

/** A server with these replies, by command. Shows what it was asked. */
function server(replies: Readonly<Record<string, Reply | Error>>) {
  const asked: string[] = [];
  const send: SendCommand = (command) => {
    asked.push(command.join(" "));
    const all: typeof replies = { "XINFO STREAM": stream, ...replies };
    const reply = all[command.slice(0, 2).join(" ")] ?? all[command[0]];
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply ?? null);
  };
  return { asked, send };
}

type Wanted = Parameters<typeof countKey>[2];

test.each<[Wanted, string]>([
  ["list", "LLEN"],
  ["set", "SCARD"],
  ["sortedSet", "ZCARD"],
  ["hash", "HLEN"],
])("a key that must be a %s is counted by %s alone", async (type, command) => {
  const { asked, send } = server({ [command]: 5 });
  expect(await countKey(send, "jobs", type)).toEqual({ value: 5 });
  expect(asked).toEqual([`${command} jobs`]);
});

test.each<[Reply, string]>([
  ["list", "LLEN"],
  ["set", "SCARD"],
  ["zset", "ZCARD"],
  ["hash", "HLEN"],
])("a key whose type is %s is counted by %s", async (type, command) => {
  const { asked, send } = server({ TYPE: type, [command]: 5 });
  expect(await countKey(send, "jobs", undefined)).toEqual({ value: 5 });
  expect(asked).toEqual(["TYPE jobs", `${command} jobs`]);
});

test("an empty key and a missing one are missing", async () => {
  const missing = { missing: 'key "jobs"' };
  expect(await countKey(server({ LLEN: 0 }).send, "jobs", "list")).toEqual(missing);
  const { asked, send } = server({ TYPE: "none" });
  expect(await countKey(send, "jobs", undefined)).toEqual(missing);
  expect(asked).toEqual(["TYPE jobs"]);
});

const notCounted = "expected the key to be a list, set, sorted set or hash, got ";
test.each<[Reply, string]>([
  ["string", "string"],
  ["stream", "stream; name a stream with the parameter stream"],
  ["constructor", "constructor"],
  ["no type", "something else"],
  ["x".repeat(41), "something else"],
  [["list"], "something else"],
  [5, "something else"],
  [null, "something else"],
])("a key whose type is %j is not counted", async (type, got) => {
  await expect(countKey(server({ TYPE: type }).send, "jobs", undefined)).rejects.toMatchObject({
    ...{ kind: "badAnswer", message: `${notCounted}${got}` },
  });
});

test.each<[Reply]>([[-1], [0.5], [2 ** 53], ["5"], [null], [[5]]])("a count of %j is none, never 0", async (reply) => {
  const { send } = server({ LLEN: reply, XLEN: reply });
  const message = "expected a count, got something else";
  await expect(countKey(send, "jobs", "list")).rejects.toMatchObject({ kind: "badAnswer", message });
  await expect(countStream(send, { stream: "orders", group: undefined, count: "length" })).rejects.toThrow(message);
});

const noLag =
  "the server cannot tell the group's lag until the group has read all, because unread entries were deleted or the group began amid the stream";

describe("a stream", () => {
  const length = { stream: "orders", group: undefined, count: "length" } as const;
  const of = (count: "backlog" | "pending" | "lag") => ({ stream: "orders", group: "mailers", count });
  const group = (name: string, pending: Reply, lag?: Reply): Reply => [
    ...["name", name, "pending", pending],
    ...(lag === undefined ? [] : ["lag", lag]),
  ];

  test("is as long as it is, and its type is asked for only if it is empty", async () => {
    const whole = server({ XLEN: 3 });
    expect(await countStream(whole.send, length)).toEqual({ value: 3 });
    expect(whole.asked).toEqual(["XLEN orders"]);
    const emptied = server({ XLEN: 0, TYPE: "stream" });
    expect(await countStream(emptied.send, length)).toEqual({ value: 0 });
    expect(emptied.asked).toEqual(["XLEN orders", "TYPE orders"]);
    const missing = { missing: 'stream "orders"' };
    expect(await countStream(server({ XLEN: 0, TYPE: "none" }).send, length)).toEqual(missing);
  });

  test.each([
    ["backlog", 7],
    ["pending", 3],
    ["lag", 4],
  ] as const)("has the %s of the group that is named", async (count, value) => {
    const { asked, send } = server({ "XINFO GROUPS": [group("other", 1, 1), group("mailers", 3, 4)] });
    expect(await countStream(send, of(count))).toEqual({ value });
    expect(asked).toEqual(["XINFO GROUPS orders", ...(count === "pending" ? [] : ["XINFO STREAM orders"])]);
  });

  test.each<[string, Reply, Reply, number]>([
    ["is no more than the stream's length", group("mailers", 0, 500), stream, 100],
    ["is none after the last entry", ["name", "mailers", "lag", 500, "last-delivered-id", "9-1"], stream, 0],
    [
      "is none after the last entry, also if it is not known",
      ["name", "mailers", "lag", null, "last-delivered-id", "9-1"],
      stream,
      0,
    ],
    ["stays where the server has no last entry", group("mailers", 0, 5), ["length", 100], 5],
  ])("whose lag %s", async (_what, of_, whole, value) => {
    const { send } = server({ "XINFO GROUPS": [of_], "XINFO STREAM": whole });
    expect(await countStream(send, of("lag"))).toEqual({ value });
  });

  // Each number as XRANGE counts it on Redis 7.0 and Valkey 8 (test/e2e/redis.test.ts).
  test.each<
    [string, { readonly lag: Reply; readonly at: string; readonly first?: string; readonly last?: string }, number]
  >([
    ["all that is left, after trimming", { lag: 7, at: "3-0", first: "7-0", last: "10-0" }, 4],
    ["all, if the group was set back", { lag: null, at: "0-0", first: "1-0", last: "4-0" }, 4],
    ["all, where a count below 0 comes", { lag: -40, at: "0-0", first: "1-0", last: "4-0" }, 4],
    ["none, if only the last entry was deleted", { lag: null, at: "9-1", first: "1-0", last: "9-0" }, 0],
    [
      "none, for a group ahead of the stream",
      { lag: null, at: "10-0", first: "1-0", last: "9-18446744073709551615" },
      0,
    ],
    ["some, in the order of numbers", { lag: 2, at: "9-1", first: "8-0", last: "10-1" }, 2],
  ])("has to do %s", async (_what, { lag, at, first, last }, value) => {
    const { send } = server({
      "XINFO GROUPS": [["name", "mailers", "pending", 0, "lag", lag, "last-delivered-id", at]],
      "XINFO STREAM": [
        ...["length", 4, "last-generated-id", "11-0"],
        ...["first-entry", [first ?? "", ["a", "1"]], "last-entry", [last ?? "", ["a", "1"]]],
      ],
    });
    expect(await countStream(send, of("lag"))).toEqual({ value });
  });

  test.each<[Reply]>([[group("mailers", 3, null)], [["name", "mailers", "pending", 3, "lag"]]])(
    "whose lag is null (%j) has what is pending, and nobody knows what else",
    async (reply) => {
      expect(await countStream(server({ "XINFO GROUPS": [reply] }).send, of("backlog"))).toEqual({
        ...{ unknown: noLag, atLeast: 3 },
      });
    },
  );

  test("that was emptied has nothing to do, whatever its group says", async () => {
    const emptied: Reply = ["length", 0, "last-generated-id", "9-1", "first-entry", null, "last-entry", null];
    for (const lag of [null, 5, -1]) {
      const groups = [["name", "mailers", "pending", 3, "lag", lag, "last-delivered-id", "2-0"]];
      const { send } = server({ "XINFO GROUPS": groups, "XINFO STREAM": emptied });
      expect(await countStream(send, of("backlog"))).toEqual({ value: 3 });
    }
  });

  test.each<[Reply]>([[null], [-40]])("with a lag of %j amid the stream is unknown, but for some", async (lag) => {
    const whole: Reply = [
      "length",
      9,
      "last-generated-id",
      "9-0",
      "first-entry",
      ["1-0", []],
      "last-entry",
      ["9-0", []],
    ];
    const groups = [["name", "mailers", "pending", 3, "lag", lag, "last-delivered-id", "5-0"]];
    const { send } = server({ "XINFO GROUPS": groups, "XINFO STREAM": whole });
    expect(await countStream(send, of("lag"))).toEqual({ unknown: noLag, atLeast: 1 });
    expect(await countStream(send, of("backlog"))).toEqual({ unknown: noLag, atLeast: 4 });
    for (const field of ["last-entry", "last-delivered-id"]) {
      const without = (reply: Reply) => (reply as Reply[]).map((one) => (one === field ? "other" : one));
      const bare = server({ "XINFO GROUPS": [without(groups[0] as Reply)], "XINFO STREAM": without(whole) });
      expect(await countStream(bare.send, of("lag"))).toEqual({ unknown: noLag, atLeast: 0 });
    }
  });

  test("with a lag of 0 is not asked for more", async () => {
    const { asked, send } = server({ "XINFO GROUPS": [group("mailers", 0, 0)] });
    expect(await countStream(send, of("lag"))).toEqual({ value: 0 });
    expect(asked).toEqual(["XINFO GROUPS orders"]);
  });

  test.each(["forbidden", "badAnswer"] as const)(
    "whose XINFO STREAM is %s has its length, and a warning",
    async (kind) => {
      const refused = { "XINFO GROUPS": [group("mailers", 0, 500)], "XINFO STREAM": new Fault(kind, "why"), XLEN: 7 };
      expect(await countStream(server(refused).send, of("lag"))).toEqual({
        value: 7,
        warning: "the lag may be too high after the stream was trimmed, because XINFO STREAM failed: why",
      });
    },
  );

  test("whose connection breaks has no lag", async () => {
    const gone = new Fault("unreachable", "gone");
    const broken = server({ "XINFO GROUPS": [group("mailers", 0, 5)], "XINFO STREAM": gone, XLEN: 7 });
    await expect(countStream(broken.send, of("lag"))).rejects.toBe(gone);
  });

  test("needs no lag for what is pending, and nothing pending for the lag", async () => {
    expect(await countStream(server({ "XINFO GROUPS": [group("mailers", 3)] }).send, of("pending"))).toEqual({
      value: 3,
    });
    expect(await countStream(server({ "XINFO GROUPS": [group("mailers", null, 4)] }).send, of("lag"))).toEqual({
      value: 4,
    });
  });

  test("without the group, or a group whose name is another's value, has the whole stream to do, and nothing pending", async () => {
    const odd: Reply = [["consumer", "name", "mailers", "x", "lag", 5]];
    for (const groups of [[], odd]) {
      const { send } = server({ "XINFO GROUPS": groups, XLEN: 7 });
      expect(await countStream(send, of("lag"))).toEqual({ value: 7 });
      expect(await countStream(send, of("backlog"))).toEqual({ value: 7 });
      expect(await countStream(send, of("pending"))).toEqual({ missing: 'group "mailers" of the stream' });
    }
  });

  test.each<[string, Reply, string]>([
    ["no lag", [group("mailers", 3)], "the server does not report a lag, which Redis does from version 7.0"],
    ["a lag that is none", [group("mailers", 3, "4")], "expected a count, got something else"],
    ["nothing pending", [group("mailers", null, 4)], "expected a count, got something else"],
    ["no groups", 5, "expected a count, got something else"],
    ["a group that is none", [group("mailers", 3, 4), 5], "expected a count, got something else"],
  ])("with %s is an error, never 0", async (_what, reply, message) => {
    await expect(countStream(server({ "XINFO GROUPS": reply }).send, of("backlog"))).rejects.toMatchObject({
      ...{ kind: "badAnswer", message },
    });
  });

  test("whose groups cannot be read is missing only if there is no such key", async () => {
    const refused = new Error("ERR no such key");
    expect(await countStream(server({ "XINFO GROUPS": refused, TYPE: "none" }).send, of("lag"))).toEqual({
      missing: 'stream "orders"',
    });
    await expect(countStream(server({ "XINFO GROUPS": refused, TYPE: "stream" }).send, of("lag"))).rejects.toBe(
      refused,
    );
  });
});
