import type { Fetch } from "../../../lib/sources/cloudwatch/cloudwatch-calls";
import type { Fetched } from "../../../lib/sources/cloudwatch/get-metric-data";
import { type FetchTogether, openRefusalSearch, rememberRefused } from "../../../lib/sources/cloudwatch/refused-calls";
import { Fault } from "../../../lib/model/fault";

type Asked = Fetch & { readonly name: string };

const one = (requester: string, name: string) => ({ requester, name, priority: 0 }) as unknown as Asked;
/** "a1 a2 b1": two of HPA a and one of HPA b. */
const fetchesOf = (names: string) => names.split(" ").map((name) => one(name.slice(0, 1), name));

/** CloudWatch, which refuses a call with one of these and names one of them. */
function cloudWatch(bad: readonly string[], failure?: Fault) {
  const calls: string[] = [];
  const fetchTogether: FetchTogether = (fetches, isLast) => {
    const names = (fetches as readonly Asked[]).map(({ name }) => name);
    calls.push(`${names.join(" ")}${isLast ? " (last)" : ""}`);
    const refused = names.find((name) => bad.includes(name));
    if (refused !== undefined) return Promise.resolve(new Fault("badEntry", `refused ${refused}`));
    if (failure !== undefined) return Promise.resolve(failure);
    return Promise.resolve(names.map((name) => `value of ${name}` as unknown as Fetched));
  };
  return { calls, fetchTogether };
}

async function search(names: string, bad: readonly string[], refused = rememberRefused(() => 0)) {
  const fetches = fetchesOf(names);
  const { calls, fetchTogether } = cloudWatch(bad);
  const found = await openRefusalSearch(refused)(fetches, fetchTogether);
  const shown = found.map((fetched) => (fetched instanceof Fault ? fetched.message : fetched));
  return { calls, found: Object.fromEntries(fetches.map(({ name }, index) => [name, shown[index]])) };
}

const values = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, `value of ${name}`]));

describe("an HPA that is refused", () => {
  test("is remembered for ten minutes", () => {
    const clock = { now: 1_000 };
    const refused = rememberRefused(() => clock.now);
    expect([refused.has("a"), refused.count()]).toEqual([false, 0]);
    refused.add("a");
    clock.now += 599_999;
    expect([refused.has("a"), refused.has("b"), refused.count()]).toEqual([true, false, 1]);
    clock.now += 1;
    expect(refused.has("a")).toBe(false);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ["nobody is", "a1 b1", [], ["a1 b1"]],
    ["the only one has one expression", "a1", ["a1"], ["a1"]],
    [
      "it is found, and its expression by calls of its own, which are the last",
      "a1 b1 c1 d1",
      ["c1"],
      [...["a1 b1 c1 d1", "a1 b1", "c1", "d1", "c1 (last)"]],
    ],
    [
      "what was not asked beside it is asked",
      "a1 b1 c1 d1",
      ["a1"],
      ["a1 b1 c1 d1", "a1 b1", "a1", "b1 c1 d1", "a1 (last)"],
    ],
    [
      "two are",
      "a1 b1 c1 d1",
      ["a1", "d1"],
      [...["a1 b1 c1 d1", "a1 b1", "a1", "b1 c1 d1", "b1 c1"], ...["a1 (last)", "d1 (last)"]],
    ],
    ["one of its own is", "a1 a2 a3", ["a2"], ["a1 a2 a3", "a1 a2 (last)", "a1 (last)", "a2 (last)", "a3 (last)"]],
    ["the last of its own is", "a1 a2 a3", ["a3"], ["a1 a2 a3", "a1 a2 (last)", "a3 (last)"]],
  ])("where %s", async (_what, names, bad, expected) => {
    const { calls, found } = await search(names, bad);
    expect(found).toEqual({ ...values(names), ...Object.fromEntries(bad.map((name) => [name, `refused ${name}`])) });
    expect(calls).toEqual(expected);
  });

  test("is not searched for again: its expressions are taken out first", async () => {
    const refused = rememberRefused(() => 0);
    await search("a1 b1 c1 d1", ["b1"], refused);
    const { calls, found } = await search("a1 b1 c1 d1", ["b1"], refused);
    expect(calls).toEqual(["a1 b1 c1 d1", "a1 c1 d1", "b1 (last)"]);
    expect(found).toEqual({ ...values("a1 c1 d1"), b1: "refused b1" });
  });

  test("that is known asks with the last from the beginning, and keeps its values", async () => {
    const refused = rememberRefused(() => 0);
    refused.add("a");
    const { calls, found } = await search("a1 a2", ["a1"], refused);
    expect(calls).toEqual(["a1 a2 (last)", "a1 (last)", "a1 (last)", "a2 (last)"]);
    expect(found).toEqual({ a1: "refused a1", a2: "value of a2" });
  });
});

test("another fault ends the search, and is each one's", async () => {
  const fault = new Fault("throttled", "too often");
  const { calls, fetchTogether } = cloudWatch([], fault);
  expect(await openRefusalSearch(rememberRefused(() => 0))(fetchesOf("a1 b1"), fetchTogether)).toEqual([fault, fault]);
  expect(calls).toEqual(["a1 b1"]);
});

test("a search for HPAs takes 64 calls, and those that it does not reach have the reason", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `${String.fromCharCode(0x4e00 + index)}1`);
  const { calls, found } = await search(names.join(" "), names);
  expect(calls.length).toBe(1 + 64 + 16); // all, the search, and what was not asked beside each of those that it found
  expect(Object.values(found).every((text) => /^refused/.test(text as string))).toBe(true);
});

test.each([
  ["one HPA has 64 calls of its own", 0, 64],
  ["ten share 256", 9, 25],
])("%s for its expressions, and the rest has the reason", async (_what, others, most) => {
  const refused = rememberRefused(() => 0);
  for (let index = 0; index < others; index += 1) refused.add(`other-${index}`);
  refused.add("a");
  const names = Array.from({ length: 200 }, (_, index) => `a${index}`);
  const { calls, found } = await search(names.join(" "), names, refused);
  expect(Object.values(found).every((text) => /^refused/.test(text as string))).toBe(true);
  expect(calls.length).toBe(1 + most);
});

test("two calls of a run search one after the other, so that one HPA is searched for once", async () => {
  const refused = rememberRefused(() => 0);
  const searchAll = openRefusalSearch(refused);
  const [first, second] = [cloudWatch(["a1"]), cloudWatch(["a2"])];
  await Promise.all([
    searchAll(fetchesOf("a1 b1 c1 d1"), first.fetchTogether),
    searchAll(fetchesOf("a2 b2 c2 d2"), second.fetchTogether),
  ]);
  expect(second.calls).toEqual(["a2 b2 c2 d2", "b2 c2 d2", "a2 (last)"]);
});
