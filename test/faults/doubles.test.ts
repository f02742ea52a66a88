import { PlainAbortController } from "./world/abort";
import { remembered, rememberedIfFrozen, rememberedWithKey } from "./world/remembered";

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
