import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { answerLines } from "../../cli/understand/evaluate/answer-lines";

/** Each line comes back; of a refused one, its problem. */
function echo(...input: readonly (string | Buffer)[]): Promise<readonly string[]> {
  return echoUpTo(undefined, input);
}

async function echoUpTo(lineLimit: number | undefined, input: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const written = text(output);
  await answerLines({ input: Readable.from(input), output, ...(lineLimit && { lineLimit }) }, (line) =>
    typeof line === "string" ? `${line.length}:${line.slice(0, 20)}` : line.problem,
  );
  output.end();
  return (await written).split("\n").slice(0, -1);
}

const tooLong = (bytes: number, limit = 1) =>
  `expected a line of at most ${limit} MiB, got one of ${bytes} bytes: --line-limit ${Math.ceil(bytes / 1024 / 1024)} allows it, in more memory`;

test.each<[string, readonly (string | Buffer)[], readonly string[]]>([
  ["nothing", [""], []],
  ["an empty line", ["\n"], ["0:"]],
  ["a last line without its end", ["a\nb"], ["1:a", "1:b"]],
  ["a return before the end", ["a\r\nb\r"], ["1:a", "1:b"]],
  ["lines that are cut anywhere", ["a", "b\n", "\nc", "", "d"], ["2:ab", "0:", "2:cd"]],
  ["a character that is cut", [Buffer.from([0xc3]), Buffer.from([0xa4, 10])], ["1:ä"]],
  ["a character that stays cut", [Buffer.from([97, 0xc3])], ["2:a\ufffd"]],
  ["U+2028 within a line", ["a\u2028b\n"], ["3:a\u2028b"]],
])("%s", async (_, input, lines) => {
  expect(await echo(...input)).toEqual(lines);
});

test("the longest line, and one of a byte more, whatever its characters", async () => {
  const most = 1024 * 1024;
  const lines = ["a".repeat(most), "a".repeat(most + 1), "ä".repeat(most / 2), "ä".repeat(most / 2 + 1), "b"];
  expect(await echo(lines.join("\n"))).toEqual([
    `${most}:${"a".repeat(20)}`,
    tooLong(most + 1),
    `${most / 2}:${"ä".repeat(20)}`,
    tooLong(most + 2),
    "1:b",
  ]);
});

test("a line that is too long is refused in any number of pieces, and does not harm the next one", async () => {
  const pieces = Array.from({ length: 100 }, () => "x".repeat(20_000));
  expect(await echo(...pieces, "\nb\n", ...pieces)).toEqual([tooLong(2_000_000), "1:b", tooLong(2_000_000)]);
});

test("a limit of 3 MiB allows as much of everything, and names the limit that a longer line needs", async () => {
  const mebibyte = 1024 * 1024;
  const lines = ["a".repeat(3 * mebibyte), "a".repeat(7 * mebibyte + 1), `[${"0,".repeat(200_000)}0]`];
  const [long, tooLongOne, wide] = await echoUpTo(3, [lines.join("\n")]);
  expect(long).toBe(`${3 * mebibyte}:${"a".repeat(20)}`);
  expect(tooLongOne).toBe(tooLong(7 * mebibyte + 1, 3));
  expect(tooLongOne).toContain("--line-limit 8 allows it");
  expect(wide).toBe(`400003:${lines[2]?.slice(0, 20)}`);
});

test.each([
  [
    "values",
    `[${"0,".repeat(80_001)}0]`,
    "expected at most 80000 values in a line, got more: a larger --line-limit allows more",
  ],
  [
    "lists",
    `[${"[],".repeat(41_000)}0]`,
    "expected at most 80000 values in a line, got more: a larger --line-limit allows more",
  ],
  ["levels", "[".repeat(40_000) + "]".repeat(40_000), "expected at most 100 levels of nesting, got more"],
  ["maps", '{"a":'.repeat(20_000), "expected at most 100 levels of nesting, got more"],
])("a long line of too many %s is not parsed", async (_, line, problem) => {
  expect(await echo(`${line}\nb\n`)).toEqual([problem, "1:b"]);
});

test("a long line that is neither deep nor wide is answered", async () => {
  const line = `[${"[[]],".repeat(20_000)}0]`;
  expect(await echo(line)).toEqual([`${line.length}:${line.slice(0, 20)}`]);
});

test("thousands of answers come in order", async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  expect(await echo(lines.join("\n"))).toEqual(lines.map((line) => `${line.length}:${line}`));
});
