import { goQuote } from "../../lib/k8s/go-text";

// Answers of Go's strconv.Quote.
test.each<[string, string]>([
  ["", '""'],
  ["web-1 [a]!~", '"web-1 [a]!~"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["\n\r\t\v\f\b\x07", '"\\n\\r\\t\\v\\f\\b\\a"'],
  ["\0\x1f\x7f", '"\\x00\\x1f\\x7f"'],
  ["é€😀", '"é€😀"'],
  ["\u00a0\u200b\u2028\ufeff", '"\\u00a0\\u200b\\u2028\\ufeff"'],
  ["\u{e0001}", '"\\U000e0001"'],
  ["\ud800", '"\ufffd"'],
])("%j", (text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});
