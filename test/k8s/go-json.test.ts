import { goJson } from "../../lib/k8s/go-text";

test.each([
  ['a "b" \\ <c> & d', '"a \\"b\\" \\\\ \\u003cc\\u003e \\u0026 d"'],
  ["\u2028\u2029 \b\f\n\r\t \u0001 \x7f é 日 😀", '"\\u2028\\u2029 \\b\\f\\n\\r\\t \\u0001 \x7f é 日 😀"'],
  ["\ud83d \\ud83d \\\udc00", '"\\ufffd \\\\ud83d \\\\\\ufffd"'],
])("%j is written as Go writes it", (text, json) => {
  expect(goJson(text)).toBe(json);
});
