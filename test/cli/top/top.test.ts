import { PassThrough } from "node:stream";
import { runEbb } from "../../../cli/program";
import { textWidth } from "../../../cli/shell/print/fit-columns";
import { Fault } from "../../../lib/model/fault";
import { aroundCalls } from "../../aws/around";
import { putHpa } from "../../../local/entries";
import { at, hpaWith } from "../../core/build";
import { kinds, type Recorded, type RecordedKind, recordFleet } from "../../web/recorded-fleet";
import { signal, tableForTests } from "../table";
import { fakeTerminal } from "./terminal";

const { table, run, clear, byHand } = tableForTests();
const names = Object.keys(kinds) as readonly RecordedKind[];
const recorded = (kind: RecordedKind, namespace = "shop", cluster = "prod"): Recorded => ({
  ...{ cluster, namespace, name: kind.toLowerCase(), kind },
});

let open = 0;
let restoreCalls = () => {};

beforeEach(async () => {
  await recordFleet(
    table(),
    names.map((kind) => recorded(kind)),
    signal,
  );
  restoreCalls = aroundCalls(table().client, async (next) => {
    open += 1;
    return await next().finally(() => (open -= 1));
  });
});
afterEach(async () => {
  restoreCalls();
  await clear("prod");
});

/** Until no call is open, and all that follows them is done. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 100; quiet = open > 0 ? 0 : quiet + 1) await new Promise(setImmediate);
}

/** `ebb top` on a terminal of its own, whose clock moves when a test says so. */
async function live(args: readonly string[] = [], size?: { columns: number; rows: number }) {
  const terminal = fakeTerminal(size);
  const stderr = new PassThrough();
  const interrupting = new AbortController();
  let [exitCode, now, isDone] = [0, at(10), false];
  let wake: (() => void) | undefined;
  const done = runEbb(["top", ...args], {
    env: { EBB_CONFIG: "/nowhere", TZ: "UTC", NO_COLOR: "1" },
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    stderr,
    now: () => now,
    pause: (_ms, ended) =>
      new Promise((resolve, reject) => {
        wake = () => resolve();
        ended.addEventListener("abort", () => reject(new Error("ended")), { once: true });
      }),
    openTable: () => Promise.resolve({ table: table(), close: () => Promise.resolve() }),
    interrupted: interrupting.signal,
    exitWith: (code) => (exitCode = code),
  }).then(() => (isDone = true));
  while (!terminal.stdin.isRaw && !isDone) await new Promise(setImmediate);
  await settled();
  return {
    ...terminal,
    isDone: () => isDone,
    interrupt: () => interrupting.abort(),
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        now += 1_000;
        wake?.();
        await settled();
      }
    },
    async end(keys = "q") {
      terminal.press(keys);
      await done;
      return { exitCode, stderr: String(stderr.read() ?? "") };
    },
    done,
  };
}

test("without a terminal, it prints all HPAs once, the most urgent first", async () => {
  const { stdout, exitCode } = await run(["top"], { now: () => at(10), env: { TZ: "UTC" } });
  const [first, counts, ...rest] = stdout.trimEnd().split("\n");
  expect(exitCode).toBe(0);
  expect(first).toBe(`12:00:10 UTC  ${names.length} HPAs in cluster prod`);
  expect(counts).toBe("1 failing, 1 not our zero, 1 at max, 2 held, 1 dry run, 1 paused, 1 at zero, 1 steady");
  const states = rest.filter((line) => line.includes("  shop")).map((line) => line.split(" ")[0]);
  expect(states).toEqual([
    "FAILING",
    "NOT-OUR-ZERO",
    "AT-MAX",
    "HELD",
    "HELD",
    "DRY-RUN",
    "PAUSED",
    "AT-ZERO",
    "STEADY",
  ]);
  expect(stdout).not.toContain("\x1b");
});

test("a dumb terminal gets it once", async () => {
  const { stdout } = await run(["top"], { now: () => at(10), columns: 80, env: { TERM: "dumb" } });
  expect(stdout).toContain("NOT-OUR-ZERO");
  expect(stdout).not.toContain("\x1b");
});

test("-n and --cluster narrow it, -A does not", async () => {
  await recordFleet(table(), [recorded("steady", "mail"), recorded("held", "mail", "test")], signal);
  const rows = async (...args: readonly string[]) => {
    const { stdout } = await run(["top", ...args], { now: () => at(10) });
    return stdout.split("\n").filter((line) => /^[A-Z-]+ {2,}\S/.test(line) && !line.startsWith("STATE")).length;
  };
  const all = names.length + 2;
  expect([await rows(), await rows("-A"), await rows("-A", "-n", "mail")]).toEqual([all, all, all]);
  expect([await rows("-n", "mail"), await rows("--cluster", "test"), await rows("-n", "none")]).toEqual([2, 1, 0]);
  expect((await run(["top", "--cluster", "tset"])).stderr).toContain("did you mean test?");
  await clear("test");
});

test("a table without a cluster says what to do", async () => {
  await clear("prod");
  const { stderr, exitCode } = await run(["top"]);
  expect([exitCode, stderr]).toEqual([1, "error: the table has no cluster yet: register one with `ebb apply -f`\n"]);
});

test.each(["q", "Q", "\x03", "jjkq"])("key %j leaves the terminal as it was", async (keys) => {
  const listeners = () => [process.listenerCount("SIGTERM"), process.listenerCount("SIGHUP")];
  const before = listeners();
  const top = await live();
  expect(top.isAsBefore()).toBe(false);
  expect(top.stdin.isRaw).toBe(true);
  expect(await top.end(keys)).toEqual({ exitCode: 0, stderr: "" });
  expect([top.isAsBefore(), top.plain()]).toEqual([true, ""]);
  expect(listeners()).toEqual(before);
});

test("an interrupt from outside, and a terminal that goes away, end it too", async () => {
  const [interrupted, closed, broken] = [await live(), await live(), await live()];
  interrupted.interrupt();
  closed.stdin.end();
  broken.stdout.emit("error", Object.assign(new Error("write EIO"), { code: "EIO" }));
  await Promise.all([interrupted.done, closed.done, broken.done]);
  expect([interrupted, closed, broken].map((top) => top.isAsBefore())).toEqual([true, true, true]);
});

test("SIGTERM restores the terminal before the process ends by it", async () => {
  const kill = jest.spyOn(process, "kill").mockReturnValue(true);
  const top = await live();
  process.emit("SIGTERM", "SIGTERM");
  expect(top.isAsBefore()).toBe(true);
  expect(kill).toHaveBeenCalledWith(process.pid, "SIGTERM");
  kill.mockRestore();
  top.interrupt();
  await top.done;
});

test("it shows what changes after a few seconds, and sorts again", async () => {
  const top = await live();
  expect(top.shown()[4]).toMatch(/^FAILING +shop +failing /);
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/another", spec: { maxReplicas: 0 } });
  await top.pass(4);
  expect(top.shown().join("\n")).not.toContain("another");
  await top.pass(1);
  expect(top.shown()[4]).toMatch(/^FAILING +shop +another /);
  expect(top.shown()[0]).toBe(`12:00:15 UTC  ${names.length + 1} HPAs in cluster prod`);
  await top.end();
});

test("a table that fails: since when, with the last values; then it is forgotten", async () => {
  const top = await live();
  const before = top.shown().slice(3, 12);
  const fail = () => Promise.reject(new Fault("unreachable", "no route\x1b[2J to the table"));
  const restore = aroundCalls(table().client, fail);
  await top.pass(6);
  expect(top.shown()[2]).toMatch(/^The table does not answer since 12:00:15 UTC \(1s\): no route\^\[\[2J to the table/);
  await top.pass(10);
  expect(top.shown()[2]).toContain("since 12:00:15 UTC (11s)");
  expect(top.shown()[0]).toContain("read 16s ago");
  expect(
    top
      .shown()
      .slice(4, 8)
      .map((line) => line.split(" ")[0]),
  ).toEqual(before.slice(0, 4).map((line) => line.split(" ")[0]));
  restore();
  await top.pass(6);
  expect(top.shown().join("\n")).not.toContain("does not answer");
  await top.end();
});

test("a table that is slow is read less often", async () => {
  const top = await live();
  let reads = 0;
  let release: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const restore = aroundCalls(table().client, async (next) => {
    reads += 1;
    await gate;
    return await next();
  });
  await top.pass(8);
  release?.();
  await settled();
  expect(top.shown()[0]).toMatch(/^12:00:18 UTC .* in cluster prod$/);
  const before = reads;
  await top.pass(11);
  expect([reads - before, top.shown()[0]]).toEqual([0, expect.stringContaining("12:00:29 UTC")]);
  await top.pass(1);
  expect(reads).toBeGreaterThan(before);
  restore();
  await top.end();
});

test("a table that does not answer at all is told from one that has nothing new; q still ends", async () => {
  const top = await live();
  let release: (() => void) | undefined;
  const restore = aroundCalls(
    table().client,
    () => new Promise((_, reject) => (release = () => reject(new Fault("timeout", "late")))),
  );
  await top.pass(15);
  expect(top.shown()[2]).toMatch(/^The table does not answer since 12:00:15 UTC \(10s\): no answer/);
  top.press("q");
  await settled();
  expect(top.isAsBefore()).toBe(true);
  release?.();
  restore();
  await top.done;
});

test("a defect ends it, with the terminal as it was and the error after it", async () => {
  const top = await live();
  const restore = aroundCalls(table().client, () => Promise.reject(new TypeError("x is not a function")));
  await top.pass(5);
  await top.done;
  restore();
  expect(top.isAsBefore()).toBe(true);
  expect((await top.end()).exitCode).toBe(1);
});

test.each([
  [80, 24],
  [40, 10],
  [20, 5],
  [200, 60],
  [1, 1],
])("at %d x %d, no line is longer than the terminal, and no line too many", async (columns, rows) => {
  const top = await live([], { columns, rows });
  await top.pass(1);
  expect(Math.max(...top.shown().map(textWidth))).toBeLessThanOrEqual(columns);
  expect(top.shown()).toHaveLength(rows);
  await top.end();
});

test("a resize draws the whole screen again at once", async () => {
  const top = await live();
  top.resize({ columns: 50, rows: 9 });
  expect(top.shown()[0]).toContain("HPAs in cluster prod");
  expect(top.shown()[8]).toContain("of 9; arrows");
  expect(Math.max(...top.shown().map(textWidth))).toBeLessThanOrEqual(50);
  await top.end();
});

test("keys move through the rows, and not beyond their ends", async () => {
  const top = await live([], { columns: 80, rows: 9 });
  const foot = () =>
    /^(\d+) to (\d+) of/
      .exec(top.shown()[8] ?? "")
      ?.slice(1)
      .join("-");
  const after = async (keys: string) => {
    top.press(keys);
    await settled();
    return foot();
  };
  expect(foot()).toBe("1-4");
  const steps = ["\x1b[A", "j", "\x1b[B\x1bOB", "\x1b[6~", "k", "G", "\x1b[5~", "g", "\x1b[F", "\x1b[H", "\x1b[99;5u"];
  const seen: (string | undefined)[] = [];
  for (const keys of steps) seen.push(await after(keys));
  expect(seen).toEqual(["1-4", "2-5", "4-7", "6-9", "5-8", "6-9", "2-5", "1-4", "6-9", "1-4", "1-4"]);
  await top.end();
});

test("a hostile name, reason or cluster moves no cursor and begins no line", async () => {
  const evil = "x\x1b[2J\x1b]0;title\x07\r\x9b31m\u202e\ty\nz";
  await byHand({ pk: "CLUSTER#prod", sk: `HPA#${evil}/${evil}`, spec: { maxReplicas: evil, [evil]: evil } });
  await putHpa(table(), "prod", hpaWith());
  // The terminal of these tests refuses every control character.
  const top = await live([], { columns: 300, rows: 24 });
  expect(top.shown().join("\n")).toContain("^[[2J");
  await top.end();
  const { stdout } = await run(["top"], { now: () => at(10) });
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\u202e/u);
});

test("a terminal that is behind gets no more frames, and the newest once it is back", async () => {
  const top = await live();
  const frames = top.frames();
  Object.defineProperty(top.stdout, "writableNeedDrain", { value: true, configurable: true });
  await top.pass(3);
  expect(top.frames()).toBe(frames);
  Object.defineProperty(top.stdout, "writableNeedDrain", { value: false, configurable: true });
  await top.pass(1);
  expect(top.shown()[0]).toContain("12:00:14 UTC");
  await top.end();
});
