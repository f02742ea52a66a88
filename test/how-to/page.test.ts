import { matches, readPage } from "./page";

test("a page is its files, its commands with their output, and what happens meanwhile", () => {
  const page = [
    "# Change something",
    "",
    "```yaml",
    "# hpa.yaml",
    "kind: X",
    "```",
    "",
    "<!-- test: echo now -->",
    "",
    "```sh",
    "ebb get hpa",
    "```",
    "",
    "```text",
    "NAME",
    "```",
    "",
    "It looks like this:",
    "",
    "```text",
    "not an output",
    "```",
  ].join("\n");
  expect(readPage(page)).toEqual([
    { kind: "file", line: 3, name: "hpa.yaml", text: "# hpa.yaml\nkind: X\n" },
    { kind: "run", line: 8, script: "echo now\n" },
    { kind: "run", line: 10, script: "ebb get hpa\n", output: "NAME\n" },
  ]);
});

test("a block that is never closed is an error that names its line", () => {
  expect(() => readPage("text\n```sh\nebb")).toThrow("line 2");
});

test.each<[string, string, string, boolean]>([
  ["the same", "a b\nc", "a b\nc\n", true],
  ["another", "a b", "a c", false],
  ["more lines than shown", "a", "a\nb", false],
  ["fewer lines than shown", "a\nb", "a", false],
  ["wider columns", "NAME   AGE\nx   …", "NAME     AGE\nx        3s", true],
  ["any text in a line", "age … now", "age 3s now", true],
  ["but not over the line's end", "age … now", "age 3s\nnow", false],
  ["any lines", "first\n…\nlast", "first\nx\ny\nlast", true],
  ["no line is any number of lines", "first\n…\nlast", "first\nlast", true],
  ["characters that mean something in a pattern", "a.b (c)", "aXb (c)", false],
])("%s", (_, shown, got, expected) => {
  expect(matches(shown, got)).toBe(expected);
});
