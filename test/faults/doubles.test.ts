import { PlainAbortController } from "./world/abort";
import { remembered, rememberedIfFrozen, rememberedWithKey } from "./world/remembered";
import { deletionOrder, type Worker } from "./world/worker";

test.each<[string, Partial<Worker>, Partial<Worker>]>([
  ["pending before running, whatever they cost", { madeAt: 99_500, costs: costing(5) }, { costs: costing(-5) }],
  [
    "not Ready before Ready, whatever they cost",
    { unready: until(120_000), costs: costing(5) },
    { costs: costing(-5) },
  ],
  ["the lower cost, whichever is Ready longer", { costs: costing(-1) }, { unready: until(90_000) }],
  ["no cost is 0", {}, { costs: costing(1), unready: until(90_000) }],
  [
    "a cost that it has not seen yet counts nothing",
    { unready: until(90_000) },
    { costs: [{ at: 100_001, text: "-5" }] },
  ],
  ["of equal costs, the one that is Ready since later", { unready: until(90_000) }, { madeAt: 5_000 }],
  ["and then the younger one", { madeAt: 5_000 }, {}],
])("a ReplicaSet's controller removes first: %s", (_, first, second) => {
  const [one, other] = [worker("one", first), worker("other", second)];
  expect([other, one].sort(deletionOrder(100_000)).map(({ name }) => name)).toEqual(["one", "other"]);
  expect([one, other].sort(deletionOrder(100_000)).map(({ name }) => name)).toEqual(["one", "other"]);
});

function worker(name: string, more: Partial<Worker>): Worker {
  return {
    ...{ name, replicaSet: "web-v1", madeAt: 0, isBusy: false, since: 0, version: 1 },
    ...{ unready: until(4_000), costs: [], annotations: new Map(), unread: { how: "item", from: 0, until: 0 } },
    ...more,
  };
}

function costing(cost: number): Worker["costs"] {
  return [{ at: 50_000, text: String(cost) }];
}

function until(ms: number): Worker["unready"] {
  return [{ from: 0, until: ms }];
}

describe.each([
  ["the plain AbortController", () => new PlainAbortController() as unknown as AbortController],
  ["Node's", () => new AbortController()],
])("%s", (_, open) => {
  test("calls each listener once, in order, with the reason in place", () => {
    const controller = open();
    const { signal } = controller;
    const seen: string[] = [];
    const reason = new Error("over");
    for (const name of ["first", "second"])
      signal.addEventListener("abort", () => seen.push(`${name} ${signal.aborted} ${signal.reason === reason}`), {
        once: true,
      });
    controller.abort(reason);
    controller.abort(new Error("again"));
    expect(seen).toEqual(["first true true", "second true true"]);
    expect(signal.reason).toBe(reason);
    expect(() => signal.throwIfAborted()).toThrow(reason);
  });

  test("does not call a listener that was removed, even by the one before it", () => {
    const controller = open();
    const { signal } = controller;
    const seen: string[] = [];
    const last = () => void seen.push("last");
    signal.addEventListener("abort", () => signal.removeEventListener("abort", last), { once: true });
    signal.addEventListener("abort", last, { once: true });
    controller.abort();
    expect(seen).toEqual([]);
  });

  test("has an AbortError as its reason by default", () => {
    const controller = open();
    expect(controller.signal.aborted).toBe(false);
    expect(() => controller.signal.throwIfAborted()).not.toThrow();
    controller.abort();
    expect(controller.signal.reason).toMatchObject({ name: "AbortError", message: "This operation was aborted" });
  });
});

describe("what was decoded", () => {
  test("is decoded once for each object, not for each equal one", () => {
    let calls = 0;
    const decode = remembered((item: { readonly size: number }) => ({ size: item.size, call: (calls += 1) }));
    const item = { size: 3 };
    expect([decode(item), decode(item), decode({ size: 3 })].map(({ call }) => call)).toEqual([1, 1, 2]);
  });

  test("is decoded again under another key", () => {
    let calls = 0;
    const decode = rememberedWithKey(({ key }: { readonly key: string; readonly document: unknown }) => ({
      key,
      call: (calls += 1),
    }));
    const document = {};
    const decoded = ["a", "a", "b", "a"].map((key) => decode({ key, document }));
    expect(decoded.map(({ key }) => key)).toEqual(["a", "a", "b", "a"]);
    expect(decoded.map(({ call }) => call)).toEqual([1, 1, 2, 3]);
    expect(decode({ key: "a", document: "not an object" })).toEqual({ key: "a", call: 4 });
  });

  test("is measured once, and again as long as it may change", () => {
    let calls = 0;
    const measure = rememberedIfFrozen(() => (calls += 1));
    const [fixed, open] = [Object.freeze({}), {}];
    expect([measure(fixed), measure(fixed), measure(open), measure(open), measure(1)]).toEqual([1, 1, 2, 3, 4]);
  });

  test("cannot be changed, however deep", () => {
    const decoded = remembered(() => ({ list: [{ size: 1 }] }))({});
    expect(() => decoded.list.push({ size: 2 })).toThrow(TypeError);
    expect(() => (decoded.list[0]!.size = 2)).toThrow(TypeError);
  });
});
