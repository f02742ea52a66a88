/** @jest-environment node */
import { PassThrough } from "node:stream";
import type { Colour } from "../../cli/shell/global-options";
import { openOutput } from "../../cli/shell/output";
import type { OutputStream } from "../../cli/shell/environment";
import { textOf } from "./text-of";

function screen(isTTY: boolean): OutputStream & PassThrough {
  return Object.assign(new PassThrough(), isTTY ? { isTTY, columns: 100 } : {});
}

const red = "\u001b[31mx\u001b[39m";

test.each<
  [string, { readonly isTTY: boolean; readonly env?: Record<string, string>; readonly colour?: Colour }, string]
>([
  ["a terminal is coloured", { isTTY: true }, red],
  ["a file is not", { isTTY: false }, "x"],
  ["NO_COLOR", { isTTY: true, env: { NO_COLOR: "1" } }, "x"],
  ["an empty NO_COLOR says nothing", { isTTY: true, env: { NO_COLOR: "" } }, red],
  ["a dumb terminal", { isTTY: true, env: { TERM: "dumb" } }, "x"],
  ["--color always, in a file", { isTTY: false, colour: "always" }, red],
  ["--color always, over NO_COLOR", { isTTY: true, env: { NO_COLOR: "1" }, colour: "always" }, red],
  ["--color never, on a terminal", { isTTY: true, colour: "never" }, "x"],
  ["--color auto", { isTTY: true, colour: "auto" }, red],
])("%s", (_, { isTTY, env = {}, colour }, expected) => {
  const out = openOutput({ env, stdout: screen(isTTY), stderr: screen(false) }, colour);
  expect(out.style("red", "x")).toBe(expected);
});

test("stdout has only results", () => {
  const [stdout, stderr] = [screen(false), screen(false)];
  const out = openOutput({ env: {}, stdout, stderr });
  out.print("a row");
  out.print("a table\n");
  out.write("{}");
  out.note("a note");
  out.warn("careful");
  expect(textOf(stdout)).toBe("a row\na table\n{}");
  expect(textOf(stderr)).toBe("a note\nWarning: careful\n");
  expect(out.terminal).toBeUndefined();
});

describe("a long operation", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const after = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve("done"), ms));

  test.each<[string, { readonly isTTY: boolean; readonly ms: number }, string]>([
    [
      "more than a second on a terminal shows a message, and removes it",
      { isTTY: true, ms: 1500 },
      "reading …\r\u001b[K",
    ],
    ["less is not", { isTTY: true, ms: 900 }, ""],
    ["nor is anything in a file", { isTTY: false, ms: 1500 }, ""],
  ])("%s", async (_, { isTTY, ms }, expected) => {
    const stderr = screen(isTTY);
    const out = openOutput({ env: {}, stdout: screen(false), stderr });
    const work = out.during("reading", after(ms));
    await jest.advanceTimersByTimeAsync(ms);
    expect(await work).toBe("done");
    expect(textOf(stderr)).toBe(expected);
  });

  test("a failure removes the message, too", async () => {
    const stderr = screen(true);
    const out = openOutput({ env: {}, stdout: screen(false), stderr });
    const work = out.during(
      "reading",
      after(1500).then(() => Promise.reject(new Error("no"))),
    );
    const rejection = expect(work).rejects.toThrow("no");
    await jest.advanceTimersByTimeAsync(1500);
    await rejection;
    expect(textOf(stderr)).toBe("reading …\r\u001b[K");
  });
});
