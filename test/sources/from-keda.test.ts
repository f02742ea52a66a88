import { type KedaTrigger, numeric, onlySet, timeoutOf } from "../../lib/sources/keda";

test.each<[string | undefined, number | string | undefined]>([
  ["0", 0],
  ["123456789012345", 123_456_789_012_345],
  ["1234567890123456", "1234567890123456"],
  ["x5", "x5"],
  ["5x", "5x"],
  ["-5", "-5"],
  ["", ""],
  [undefined, undefined],
])("a whole number in text is a number: %j", (text, expected) => {
  expect(numeric(text)).toBe(expected);
});

test("what is not set is left out", () => {
  expect(onlySet({ a: undefined, b: null, c: "", d: 0 })).toStrictEqual({ b: null, c: "", d: 0 });
});

test.each<[string | undefined, number | undefined, string]>([
  [undefined, undefined, ""],
  ["3000", 3, ""],
  ["999999999", 10, "was 999999999: timeoutSeconds is 10, of whole seconds from 1 to 10"],
  ["5s", 5, ""],
  ["1.25s", 2, "was 1.25s: timeoutSeconds is 2, of whole seconds from 1 to 10"],
  ["0.001h", 4, "was 0.001h: timeoutSeconds is 4, of whole seconds from 1 to 10"],
  ["1s1000ms", 2, ""],
  ["x5", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got x5"],
  ["5x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5x"],
  ["5s x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5s x"],
  ["1234567890", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 1234567890"],
  ["", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got "],
])("a timeout of %j is %j seconds", (text, seconds, expected) => {
  const notes: string[] = [];
  const trigger = { text: () => text, note: (name: string, note: string) => void notes.push(`${name} ${note}`) };
  expect(timeoutOf(trigger as unknown as KedaTrigger)).toBe(seconds);
  expect(notes).toEqual(expected === "" ? [] : [`timeout ${expected}`]);
});
