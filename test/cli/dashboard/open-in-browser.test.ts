import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { browserCommand, openInBrowser } from "../../../cli/look/dashboard/open-in-browser";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { until } from "../../time/until";
import { ebb } from "../run-ebb";

const url = "http://127.0.0.1:4321/the-key-of-this-run/";
let programs: string;

beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), "ebb-programs-"));
});
afterEach(() => rm(programs, { recursive: true }));

/** Opens the page with a shell script in place of xdg-open; absent: none is installed. */
async function open(script?: string, folder = tmpdir()) {
  const program = join(programs, "xdg-open");
  if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`);
  if (script !== undefined) await chmod(program, 0o755);
  const problems: string[] = [];
  const env = { PATH: script === undefined ? "/nowhere" : `${programs}:${process.env["PATH"]}`, SEEN: seen() };
  const failed = (problem: string) => problems.push(problem);
  const close = await openInBrowser(url, { platform: "linux", env, folder, failed });
  return { close, problems };
}

const seen = () => join(programs, "seen");

async function whatItSaw(): Promise<string> {
  await until(() => existsSync(seen()));
  return (await readFile(seen(), "utf8")).trimEnd();
}

test.each<[NodeJS.Platform, string, readonly string[]]>([
  ["linux", "/tmp/a b/open.html", ["xdg-open", "/tmp/a b/open.html"]],
  ["freebsd", "/tmp/open.html", ["xdg-open", "/tmp/open.html"]],
  ["darwin", "/tmp/$(id)/open.html", ["open", "/tmp/$(id)/open.html"]],
  // cmd's `start` would run calc.
  ["win32", "C:\\Users\\a&calc\\open.html", ["D:\\Windows\\explorer.exe", "C:\\Users\\a&calc\\open.html"]],
])("on %s, a program that no shell starts opens %s", (platform, file, command) => {
  expect(browserCommand(file, { platform, env: { SystemRoot: "D:\\Windows" } })).toEqual(command);
});

test("the address is in a file of this user alone, and in no argument or variable that others see", async () => {
  const { close, problems } = await open(`{ env; echo "$0 $*"; echo "$1"; } > "$SEEN.now"; mv "$SEEN.now" "$SEEN"`);
  const text = await whatItSaw();
  expect(text).not.toContain("the-key-of-this-run");
  const file = text.split("\n").at(-1) ?? "";
  expect(await readFile(file, "utf8")).toContain(`content="0;url=${url}"`);
  const modes = [(await stat(file)).mode, (await stat(dirname(file))).mode].map((mode) => (mode & 0o777).toString(8));
  expect(modes).toEqual(["600", "700"]);
  await close();
  expect(existsSync(dirname(file))).toBe(false);
  expect(problems).toEqual([]);
});

test("without the program, or if it fails, it says so once, and the file goes all the same", async () => {
  const missing = await open();
  await until(() => missing.problems.length > 0);
  expect(missing.problems).toEqual(["no browser was opened: xdg-open is not installed; open the address yourself"]);
  await missing.close();
  const failing = await open(`echo "$1" > "$SEEN"; exit 3`);
  await until(() => failing.problems.length > 0);
  expect(failing.problems).toEqual(["no browser was opened: xdg-open ended with 3; open the address yourself"]);
  await failing.close();
  expect(existsSync(dirname(await whatItSaw()))).toBe(false);
});

test("closed at once, it removes the file, says nothing, and waits for no program", async () => {
  const { close, problems } = await open(`echo "$1" > "$SEEN.now"; mv "$SEEN.now" "$SEEN"; exit 3`);
  await close();
  expect(existsSync(await whatItSaw())).toBe(false);
  expect(problems).toEqual([]);
});

test("a folder that cannot be written leaves the page, and says why", async () => {
  const { close, problems } = await open("exit 0", join(programs, "missing"));
  expect(problems).toEqual([expect.stringMatching(/^no browser was opened: ENOENT.*; open the address yourself$/)]);
  await close();
});

const onLinux = process.platform === "linux" ? test : test.skip;

onLinux("--open asks the browser for the address that is printed, and removes the file at the end", async () => {
  const program = join(programs, "xdg-open");
  await writeFile(program, '#!/bin/sh\ncp "$1" "$SEEN.now"; echo "$1" >> "$SEEN.now"; mv "$SEEN.now" "$SEEN"\n');
  await chmod(program, 0o755);
  const stop = new AbortController();
  const env = { PATH: `${programs}:${process.env["PATH"]}`, SEEN: seen() };
  const table = { client: memoryDynamodb(), name: memoryTableName };
  const ran = ebb(["dashboard", "--open"], { table, env, interrupted: stop.signal });
  const [text = "", file = ""] = (await whatItSaw()).split("\n");
  stop.abort();
  const { stdout, stderr } = await ran;
  const [, opened] = /content="0;url=(http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/)"/.exec(text) ?? [];
  expect([stdout, stderr]).toEqual([`Dashboard: ${opened}\n`, ""]);
  expect(existsSync(dirname(file))).toBe(false);
});
