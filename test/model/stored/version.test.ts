import { isUnwritten, unwrittenVersion, versionBefore } from "../../../lib/model/stored/version";

const now = Date.parse("2026-03-01T12:00:00Z");

test("versions of a new item meet no version of the item before it", () => {
  const writes = Array.from({ length: 3_600 }, (_, index) => unwrittenVersion(now) + 1 + index);
  const again = Array.from({ length: 3_600 }, (_, index) => unwrittenVersion(now + 1_000) + 1 + index);
  expect(new Set([...writes, ...again]).size).toBe(7_200);
});

test("the first version is written over nothing, each later one over the one before", () => {
  const unwritten = unwrittenVersion(now);
  expect(isUnwritten(unwritten)).toBe(true);
  expect(versionBefore(unwritten + 1)).toBe("nothing");
  expect(versionBefore(unwritten + 2)).toBe(unwritten + 1);
});

test("the items of 0.1.0 start at 1", () => {
  expect(isUnwritten(0)).toBe(true);
  expect(versionBefore(1)).toBe("nothing");
  expect(versionBefore(2)).toBe(1);
});

test("every version is an integer that JavaScript and the table hold exactly, whenever it starts", () => {
  for (let second = 0; second < 2 ** 22; second += 4_093) {
    const version = unwrittenVersion(second * 1_000 + 999) + 2 ** 32 - 1;
    expect(Number.isSafeInteger(version)).toBe(true);
  }
});
