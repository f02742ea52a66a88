import { shrink } from "../../parity/shrink";

const holdsIf = (test: (text: string) => boolean) => (smaller: unknown) =>
  Promise.resolve(test(JSON.stringify(smaller)));

test("all that the condition does not need is left out, and the rest is made simple", async () => {
  const given = { a: [1, 2, { b: "77m", c: [3, 40] }], d: { e: "text" }, f: 9 };
  expect(
    await shrink(
      given,
      holdsIf((text) => text.includes("40")),
    ),
  ).toEqual({ a: [{ c: [40] }] });
  expect(
    await shrink(
      given,
      holdsIf((text) => /"\d+m"/.test(text)),
    ),
  ).toEqual({ a: [{ b: "0m" }] });
  expect(
    await shrink(
      given,
      holdsIf((text) => text.includes("f")),
    ),
  ).toEqual({ f: 0 });
});

test("of two parts that are needed together, neither is left out", async () => {
  const given = { list: Array.from({ length: 40 }, (_, index) => index) };
  const needsBoth = holdsIf((text) => /\b7\b/.test(text) && /\b31\b/.test(text));
  expect(await shrink(given, needsBoth)).toEqual({ list: [7, 31] });
});

test("it asks no more often than it may, and then has what it found", async () => {
  let asked = 0;
  const given = Array.from({ length: 10_000 }, (_, index) => index);
  const found = await shrink(given, (smaller) => Promise.resolve(++asked > 0 && String(smaller).includes("9999")), 12);
  expect(asked).toBe(12);
  expect((found as number[]).length).toBeLessThan(200);
  expect(found).toContain(9_999);
});
