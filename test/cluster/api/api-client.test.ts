import { abortReason, OutOfTime } from "../../../lib/async/within-time";
import { apiClient, type ApiRequest } from "../../../lib/cluster/api/api-client";
import type { Subject } from "../../../lib/cluster/api/api-fault";
import type { Outgoing } from "../../../lib/net/connection";
import type { Credential } from "../../../lib/net/credential";
import type { Answer, NoAnswer } from "../../../lib/net/exchange";
import { openMemory } from "../../../lib/net/memory";
import { Fault } from "../../../lib/model/fault";
import { noLimit } from "../../time/no-limit";

/** The client over a connection that answers by hand, without a socket. */
type Outcome = Answer | NoAnswer;
type Reply = Outcome | ((signal: AbortSignal, call: Outgoing) => Outcome | Promise<Outcome>);

const origin = "https://prod.example";
const apps: Subject = { verb: "get", group: "apps", resource: "deployments", name: "web", path: "/d/web" };
const reading: ApiRequest = { method: "GET", subject: apps, kinds: ["Deployment"] };
const writing: ApiRequest = {
  method: "PUT",
  subject: { ...apps, verb: "update" },
  body: { a: "ä" },
  kinds: ["Deployment"],
};
const answer = (body: unknown, more: Partial<Answer> = {}): Answer => ({
  ...{ status: 200, headers: {}, body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) },
  ...more,
});
const found = answer({ kind: "Deployment" });
const failed = (status: number, headers: Answer["headers"] = {}) =>
  answer({ kind: "Status", message: `status ${status}` }, { status, headers });
const none = (failure: NoAnswer["failure"], sent = true): NoAnswer => ({ failure, sent, detail: `it is ${failure}` });
const hang = (signal: AbortSignal) =>
  new Promise<Outcome>((resolve) =>
    signal.addEventListener("abort", () => resolve({ ...none("aborted"), detail: abortReason(signal).message })),
  );

interface Options {
  readonly concurrency?: number;
  readonly credential?: (signal: AbortSignal) => Promise<Credential>;
}

/** Answers in turn, and then as the last time. */
function setUp(replies: readonly Reply[], { concurrency = 4, credential }: Options = {}) {
  const sent: Outgoing[] = [];
  const events: string[] = [];
  const connection = {
    exchange(call: Outgoing, _credential: Credential, signal: AbortSignal) {
      const reply = replies[Math.min(sent.push(call), replies.length) - 1]!;
      return Promise.resolve(typeof reply === "function" ? reply(signal, call) : reply);
    },
    dropIdle: () => void events.push("dropIdle"),
    upgrade: (): never => {
      throw new Error("no upgrade in this test");
    },
    close: () => undefined,
  };
  const authenticator = {
    credential: credential ?? (() => Promise.resolve({ headers: { authorization: "t1" } })),
    invalidate: () => void events.push("invalidate"),
  };
  const memory = openMemory(2 ** 28).share();
  const api = apiClient({ connection, authenticator, origin, timeoutMs: 60_000, memory, concurrency, now: () => 0 });
  return { api, sent, events };
}

describe("places", () => {
  const reads = (subject: Partial<Subject>): ApiRequest => ({ ...reading, subject: { ...apps, ...subject } });
  const hanging: Reply = (signal, { method, path }) => (method === "GET" && path === apps.path ? hang(signal) : found);

  test("a write does not wait for a read, nor does a read of another group", async () => {
    const caller = new AbortController();
    const { api } = setUp([hanging], { concurrency: 1 });
    const read = api(reading, caller.signal);
    expect(await api(writing, noLimit())).toEqual({ kind: "Deployment" });
    expect(await api(reads({ group: "metrics.k8s.io", path: "/m" }), noLimit())).toEqual({ kind: "Deployment" });
    caller.abort(new Error("the slot is over"));
    await expect(read).rejects.toMatchObject({ kind: "timeout" });
  });

  test.each([
    ["metrics.k8s.io", `metrics.k8s.io of ${origin} does not answer`],
    ["custom.metrics.k8s.io", `custom.metrics.k8s.io of ${origin} does not answer`],
    ["apps", `${origin} does not answer`],
    ["nometrics.k8s.io", `${origin} does not answer`],
  ])("a group that answers nothing is down on its own: %s", async (group, message) => {
    const { api, sent } = setUp([none("timeout")]);
    const read = () => api(reads({ group }), noLimit());
    for (let call = 0; call < 7; call++) await expect(read()).rejects.toMatchObject({ kind: "timeout" });
    const asked = sent.length;
    await expect(read()).rejects.toThrow(new RegExp(`^${message} `));
    expect(sent).toHaveLength(asked);
  });

  test("reads with one fate fail together, and others go on", async () => {
    const { api, sent } = setUp([none("timeout"), found]);
    const read = (failureKey: string) => api({ ...reading, failureKey }, noLimit());
    await expect(read("a")).rejects.toMatchObject({ kind: "timeout" });
    await expect(read("a")).rejects.toMatchObject({ kind: "timeout" });
    expect(sent).toHaveLength(1);
    expect(await read("b")).toEqual({ kind: "Deployment" });
  });

  test("a read that still waits for its place when its caller gives up says for what", async () => {
    const { api } = setUp([hanging], { concurrency: 1 });
    const [first, caller] = [new AbortController(), new AbortController()];
    const before = api(reading, first.signal);
    const waiting = api(reading, caller.signal);
    caller.abort(new Error("the slot is over"));
    await expect(waiting).rejects.toMatchObject({
      kind: "timeout",
      message: `${origin}: the slot is over (get deployments.apps web)`,
    });
    first.abort(new Error("end"));
    await expect(before).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe("what is sent", () => {
  const sentFor = async (request: Partial<ApiRequest>) => {
    const { api, sent } = setUp([found]);
    await api({ ...reading, ...request }, noLimit());
    const [{ memory: _, until: __, ...call }] = sent as [Outgoing];
    return call;
  };
  const headers = { Accept: "application/json", "User-Agent": "ebb" };

  test("a read asks for JSON, and for more only where it says so", async () => {
    expect(await sentFor({})).toStrictEqual({ method: "GET", path: "/d/web", headers });
    expect(await sentFor({ query: { limit: "5", "a b": "ä" } })).toMatchObject({ path: "/d/web?limit=5&a+b=%C3%A4" });
    expect(await sentFor({ large: true, accept: "text/x", maxBytes: 7, headers: { "X-A": "1" } })).toStrictEqual({
      ...{ method: "GET", path: "/d/web", maxBytes: 7 },
      headers: { ...headers, Accept: "text/x", "Accept-Encoding": "gzip", "X-A": "1" },
    });
    const trim = { keep: (item: unknown) => item };
    expect((await sentFor({ trim })).trim).toBe(trim);
  });

  test.each([
    ["PUT", "application/json"],
    ["POST", "application/json"],
    ["PATCH", "application/strategic-merge-patch+json"],
  ] as const)("a %s says what it has, in bytes", async (method, type) => {
    expect(await sentFor({ ...writing, method })).toStrictEqual({
      ...{ method, path: "/d/web", body: '{"a":"ä"}' },
      headers: { ...headers, "Content-Type": type, "Content-Length": "10" },
    });
  });
});

describe("retries", () => {
  const outcomeOf = async (request: ApiRequest, replies: readonly Reply[]) => {
    const { api, sent, events } = setUp(replies);
    const outcome = await api(request, noLimit()).catch((error: unknown) => error);
    return { outcome: outcome instanceof Fault ? outcome.kind : outcome, asked: sent.length, events };
  };
  const kind = { kind: "Deployment" };

  test.each<[string, ApiRequest, readonly Reply[], unknown, number, readonly string[]]>([
    ["a read, reset twice", reading, [none("reset"), none("reset"), found], kind, 3, ["dropIdle", "dropIdle"]],
    ["a read, reset each time", reading, [none("reset")], "unreachable", 3, ["dropIdle", "dropIdle"]],
    ["a read that timed out", reading, [none("timeout"), found], "timeout", 1, []],
    ["a write, reset", writing, [none("reset"), found], "lost", 1, []],
    ["a write, reset before it was sent", writing, [none("reset", false), found], "unreachable", 1, []],
    ["a read, refused once", reading, [failed(401), found], kind, 2, ["invalidate"]],
    ["a write, refused once", writing, [failed(401), found], kind, 2, ["invalidate"]],
    ["a read, refused each time", reading, [failed(401)], "unauthorized", 2, ["invalidate"]],
    ["a read, throttled three times", reading, [...three(), found], kind, 4, []],
    ["a read, throttled each time", reading, [...three(), ...three()], "throttled", 4, []],
    ["a read, throttled for 3.001 s", reading, [failed(429, { "retry-after": "4" }), found], "throttled", 1, []],
    ["a read, throttled without a time", reading, [failed(429), found], "throttled", 1, []],
    ["a read, throttled for no number", reading, [failed(429, { "retry-after": "1s" }), found], "throttled", 1, []],
    ["a read, throttled for a fraction", reading, [failed(429, { "retry-after": "x1" }), found], "throttled", 1, []],
    ["a read that failed otherwise", reading, [failed(500, { "retry-after": "0" }), found], "badAnswer", 1, []],
    ["a write, throttled", writing, [failed(429, { "retry-after": "0" }), found], "throttled", 1, []],
  ])("%s", async (_what, ...[request, replies, outcome, asked, events]) => {
    expect(await outcomeOf(request, replies)).toEqual({ outcome, asked, events });
  });

  function three(): readonly Reply[] {
    return [
      failed(429, { "retry-after": "0" }),
      failed(503, { "retry-after": "0" }),
      failed(429, { "retry-after": "0" }),
    ];
  }
});

describe("an answer", () => {
  const read = (body: unknown, more: Partial<ApiRequest> = {}, answered: Partial<Answer> = {}) =>
    setUp([answer(body, answered)]).api({ ...reading, ...more }, noLimit());

  test.each<[string, unknown, ApiRequest["kinds"], string]>([
    ["is no JSON", "<html>", ["A", "B"], "expected JSON of kind A or B, got status 200"],
    ["is no object", [], ["A"], "expected an object of kind A, got status 200"],
    ["has no kind", {}, "any", "expected an object of any kind, got status 200"],
    ["is of another kind", { kind: "B" }, ["A"], "expected an object of kind A, got"],
    ["is a Status", { kind: "Status" }, "any", "expected an object of any kind, got"],
  ])("that %s is no data", async (_what, body, kinds, message) => {
    await expect(read(body, { kinds })).rejects.toMatchObject({
      kind: "badAnswer",
      message: expect.stringContaining(message) as string,
    });
  });

  test("of any kind is data, and so is what was created; its headers are handed on", async () => {
    const seen: unknown[] = [];
    const onAnswer = (headers: unknown) => seen.push(headers);
    expect(await read({ kind: "X" }, { kinds: "any", onAnswer }, { status: 201, headers: { date: "now" } })).toEqual({
      kind: "X",
    });
    expect(seen).toEqual([{ date: "now" }]);
    await expect(read({ kind: "Deployment" }, {}, { status: 202 })).rejects.toMatchObject({ kind: "badAnswer" });
  });

  test("gets its objects back, those that were cut while it arrived and those that were not", async () => {
    const trim = { keep: (item: unknown) => ({ kept: item }) };
    const list = { kind: "Deployment", items: [{}, 5, {}] };
    expect(await read(list, { trim }, { objects: ["a", "b"] })).toEqual({ ...list, items: ["a", 5, "b"] });
    expect(await read(list, { trim }, { objects: [] })).toEqual({ ...list, items: [{ kept: {} }, 5, { kept: {} }] });
    expect(await read(list, { trim })).toEqual({ ...list, items: [{ kept: {} }, 5, { kept: {} }] });
    expect(await read(list, {}, { objects: ["a", "b"] })).toEqual(list);
    expect(await read({ kind: "Deployment", items: 1 }, { trim })).toEqual({ kind: "Deployment", items: 1 });
  });
});

describe("a credential that does not come", () => {
  const readWith = (credential: Options["credential"], signal = noLimit()) =>
    setUp([found], credential && { credential }).api(reading, signal);

  test("is its own fault, or its own error", async () => {
    const fault = new Fault("forbidden", "no secret");
    await expect(readWith(() => Promise.reject(fault))).rejects.toBe(fault);
    await expect(readWith(() => Promise.reject(new TypeError("no function")))).rejects.toThrow(TypeError);
  });

  test.each([
    [new OutOfTime(15_000), "no credential within 15 s"],
    [new Error("the slot is over"), "given up"],
  ])("in time is a timeout, which says whose time was up: %s", async (reason, why) => {
    const caller = new AbortController();
    const read = readWith((signal) => {
      caller.abort(reason);
      return Promise.reject(abortReason(signal));
    }, caller.signal);
    const message = `${origin}: ${why} (get deployments.apps web)`;
    await expect(read).rejects.toMatchObject({ kind: "timeout", message });
  });
});
