import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentsIn, isElliptical, wordsIn } from "./comments";

const root = join(__dirname, "../..");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("validators/"))
    .map((path) => `${folder}/${path}`);
const files = [...["lib", "cli", "local", "functions"].flatMap(filesIn), "compose.ts"];
const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
const comments = texts.flatMap(({ file, text }) => commentsIn(text).map((comment) => ({ file, text: comment })));

/** This only gets smaller: a comment says what the code cannot, mostly in one line. */
const mostWords = 55;

test(`the comments of the product have at most ${mostWords} words in a hundred lines`, () => {
  const lines = texts.reduce((sum, { text }) => sum + text.split("\n").length, 0);
  const words = comments.reduce((sum, { text }) => sum + wordsIn(text), 0);
  const density = (100 * words) / lines;
  expect(density).toBeLessThanOrEqual(mostWords);
  expect(density).toBeGreaterThan(mostWords / 2);
});

test("no comment begins with half a sentence", () => {
  const found = comments.filter(({ text }) => isElliptical(text));
  expect(found.map(({ file, text }) => `${file}: ${text.slice(0, 80)}`)).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  ["a line", "const a = 1; // one", ["one"]],
  ["adjacent lines", "  // one\n  // two\nconst a = 1;\n// three", ["one\ntwo", "three"]],
  ["a block", "/** One. */\nconst a = /* two */ 1;", ["One.", "two"]],
  ["a block of lines", "/**\n * One,\n *\n *     two\n */", ["One,\n\n    two"]],
  ["an address in a text", "const a = \"http://a\", b = '//b', c = `//${c}`;", []],
  ["an escaped quote", 'const a = "\\"//"; // one', ["one"]],
  ["a regular expression", "const a = /[\"'`]/; // one", ["one"]],
  ["a division", "const a = b / c; // one / two", ["one / two"]],
])("it finds comments: %s", (_, code, expected) => {
  expect(commentsIn(code)).toEqual(expected);
});

test.each<[string, boolean]>([
  ["Of what the item holds.", true],
  ["What is left over.", true],
  ["Whether it is left over.", true],
  ["Hash of the item's content.", false],
  ["Offsets of a group.", false],
])("half a sentence: %s %s", (text, expected) => {
  expect(isElliptical(text)).toBe(expected);
});
