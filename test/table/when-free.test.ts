import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../lib/model/fault";
import { longestWaitMs, whenFree } from "../../local/backends/table/when-free";
import { holderOf, nameHolder } from "../../local/backends/table/holder";

/** A clock that a pause advances. */
function inTime() {
  let now = 0;
  const noticed: string[] = [];
  const pause = (ms: number) => {
    now += ms;
    return Promise.resolve();
  };
  return { now: () => now, pause, waiting: (reason: string) => noticed.push(reason), noticed };
}
const held = new Fault("conflict", "process 7 (`ebb get`) holds this table");

test.each([0, 1, 2_900])("a table that is free after %s ms is opened, without a word", async (freeAt) => {
  const time = inTime();
  const attempt = () => (time.now() >= freeAt ? Promise.resolve("open") : Promise.reject(held));
  expect(await whenFree(attempt, time)).toBe("open");
  expect(time.noticed).toEqual([]);
});

test("a wait that a person notices says once why", async () => {
  const time = inTime();
  const attempt = () => (time.now() >= 20_000 ? Promise.resolve("open") : Promise.reject(held));
  expect(await whenFree(attempt, time)).toBe("open");
  expect(time.noticed).toEqual([held.message]);
});

test("a holder that hangs is named when it has waited as long as it may", async () => {
  const time = inTime();
  await expect(whenFree(() => Promise.reject(held), time)).rejects.toBe(held);
  expect(time.now()).toBeGreaterThanOrEqual(longestWaitMs);
  expect(time.now()).toBeLessThan(longestWaitMs + 1_000);
});

test("another failure ends it at once", async () => {
  const time = inTime();
  const broken = new Fault("unreachable", "the disk is full");
  await expect(whenFree(() => Promise.reject(broken), time)).rejects.toBe(broken);
  expect(time.now()).toBe(0);
});

describe("a holder", () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-holder-"))));
  afterEach(() => rm(directory, { recursive: true }));

  test.each([
    [["node", "/x/ebb.js", "get", "hpa"], "ebb get"],
    [["node", "/x/ebb.js", "--directory", "/Secret", "apply", "-f", "x.yaml"], "ebb apply"],
    [["node", "/x/bench.cjs"], "bench.cjs"],
  ])("is named by its process and its verb: %j", async (argv, command) => {
    await nameHolder(directory, argv);
    expect(await holderOf(directory)).toBe(`process ${process.pid} (\`${command}\`)`);
  });

  test.each([
    ["of a process that is gone", '{"pid":2147483646,"command":"ebb get"}'],
    ["that is no JSON", "{"],
    ["that is null", "null"],
    ["without a number", '{"pid":"1","command":"ebb get"}'],
  ])("is not known from a file %s", async (_case, text) => {
    await writeFile(join(directory, "ebb-holder.json"), text, { mode: 0o600 });
    expect(await holderOf(directory)).toBeUndefined();
  });
});
