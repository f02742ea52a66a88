import fs, { appendFileSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock } from "../../../local/clock";
import { openJournal } from "../../../local/demo/journal";
import { startSimulation, type Simulation, type SimulationSnapshot } from "../../../local/demo/simulation";
import { deployments, pods } from "../../../local/backends/kubernetes/resources/kinds";

const start = Date.parse("2026-01-01T00:00:00Z");
const empty: SimulationSnapshot = { cluster: { objects: [] }, sqs: { queues: [] } };
const first = () => Promise.resolve(empty);

let directory: string;
const open: Simulation[] = [];
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-journal-"))));
afterEach(async () => {
  await Promise.all(open.splice(0).map((simulation) => simulation.close()));
  await rm(directory, { recursive: true });
});

const snapshotFile = () => join(directory, "simulation.json");
const journalFile = () => join(directory, "simulation.journal");

/** A simulation that keeps itself in the directory, and is not closed: its process may be killed at any time. */
async function run(bursts?: []) {
  const clock = manualClock(start);
  const journal = await openJournal(directory, first);
  const { snapshot, record } = journal;
  const simulation = await startSimulation({ clock, snapshot, record, ...(bursts && { bursts }) });
  open.push(simulation);
  return { clock, journal, simulation };
}

/** What the next run would begin with, if this one was killed now. */
async function afterKill(): Promise<SimulationSnapshot> {
  const copy = await mkdtemp(join(tmpdir(), "ebb-killed-"));
  for (const name of ["simulation.json", "simulation.journal"]) await copyFile(join(directory, name), join(copy, name));
  const journal = await openJournal(copy, () => Promise.reject(new Error("expected a snapshot to be there")));
  journal.close();
  await rm(copy, { recursive: true });
  return journal.snapshot;
}

/** The same contents, whatever their order. */
function contentOf({ cluster, sqs }: SimulationSnapshot): unknown {
  const byKey = (texts: readonly string[]) => [...texts].sort();
  return JSON.parse(
    JSON.stringify({
      objects: byKey(cluster.objects.map((object) => JSON.stringify(object))),
      resourceVersion: cluster.resourceVersion,
      queues: sqs.queues.map(({ messages, ...queue }) => ({
        ...queue,
        messages: byKey(messages.map((message) => JSON.stringify(message))),
      })),
    }),
  );
}

const scale = ({ cluster: { store } }: Simulation, replicas: number) => {
  const orders = store.get(deployments, "default", "orders");
  if (orders === undefined) throw new Error("expected the demo to have orders");
  store.put(deployments, { ...orders, spec: { ...orders.spec, replicas } });
};

test("killed at any moment of a burst, nothing that anybody has seen is lost", async () => {
  const { clock, journal, simulation } = await run();
  for (let second = 0; second < 40; second += 1) {
    if (second === 4) scale(simulation, 8);
    if (second === 10) journal.compactWith(() => simulation.snapshot());
    if (second === 25) scale(simulation, 0);
    clock.advance(1_000);
    expect(contentOf(await afterKill())).toEqual(contentOf(simulation.snapshot()));
  }
  expect(simulation.summary()["orders"]?.processed).toBeGreaterThan(30);
});

test("continues from there: same objects, messages that nobody processed twice or lost, and new versions and IDs", async () => {
  const one = await run();
  one.clock.advance(3_500);
  scale(one.simulation, 2);
  one.clock.advance(8_000);
  const before = one.simulation.snapshot();
  const idsBefore = before.sqs.queues.flatMap(({ messages }) => messages.map(({ id }) => id));
  expect(idsBefore.length).toBeGreaterThan(10);

  const two = await run([]);
  expect(contentOf(two.simulation.snapshot())).toEqual(contentOf(before));
  const sent = two.simulation.sqs.account.find("orders").send("new");
  expect(idsBefore).not.toContain(sent.id);
  two.clock.advance(120_000);
  expect(two.simulation.summary()["orders"]).toEqual({ sent: 0, processed: idsBefore.length + 1, left: 0 });
});

test("a version that a deleted object had is never given again", async () => {
  const { clock, simulation } = await run([]);
  scale(simulation, 3);
  clock.advance(10_000);
  scale(simulation, 0);
  clock.advance(40_000);
  expect(simulation.cluster.store.list(pods, "default").map(({ metadata }) => metadata.name)).toEqual([
    expect.stringMatching(/^web-/),
  ]);
  const version = simulation.cluster.store.resourceVersion();
  expect((await afterKill()).cluster.resourceVersion).toBe(version);
  expect((await run([])).simulation.cluster.store.resourceVersion()).toBe(version);
});

test("a line that a kill cut anywhere counts as never written", async () => {
  const { clock, simulation } = await run();
  clock.advance(2_000);
  const whole = contentOf(simulation.snapshot());
  const line = JSON.stringify({ queue: "orders", put: { id: "x", body: "ä", visibleAt: start } });
  const written = await readFile(journalFile());
  const bytes = Buffer.from(line);
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    await writeFile(journalFile(), written);
    appendFileSync(journalFile(), bytes.subarray(0, cut));
    expect(contentOf(await afterKill())).toEqual(whole);
  }
  // The next run writes behind the last whole line.
  const journal = await openJournal(directory, first);
  journal.record({ queue: "orders", deleted: true });
  expect((await afterKill()).sqs.queues.map(({ name }) => name)).toEqual(["invoices"]);
});

test("killed after a new snapshot and before the old changes are gone: the same", async () => {
  const { clock, journal, simulation } = await run();
  clock.advance(3_000);
  scale(simulation, 4);
  clock.advance(10_000);
  scale(simulation, 1);
  clock.advance(20_000);
  const changes = await readFile(journalFile());
  journal.compactWith(() => simulation.snapshot());
  expect((await stat(journalFile())).size).toBe(0);
  await writeFile(journalFile(), changes);
  expect(contentOf(await afterKill())).toEqual(contentOf(simulation.snapshot()));
});

test("the file of changes stays short", async () => {
  const { journal, simulation } = await run([]);
  journal.compactWith(() => simulation.snapshot());
  const queue = simulation.sqs.account.find("orders");
  const body = "x".repeat(100_000);
  for (let sent = 0; sent < 300; sent += 1) {
    queue.send(body);
    queue.purge();
    expect((await stat(journalFile())).size).toBeLessThan(4.2 * 1024 * 1024);
  }
  expect(contentOf(await afterKill())).toEqual(contentOf(simulation.snapshot()));
});

test("both files are their user's alone, and links in their places are not followed", async () => {
  const victim = join(directory, "victim");
  await writeFile(victim, "mine");
  await symlink(victim, snapshotFile() + ".new");
  await run([]);
  for (const file of [snapshotFile(), journalFile()]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(journalFile());
  await symlink(victim, journalFile());
  await expect(openJournal(directory, first)).rejects.toThrow("symbolic link");
  expect(await readFile(victim, "utf8")).toBe("mine");
});

test.each<[string, () => string]>([
  ["simulation.json", snapshotFile],
  ["simulation.journal", journalFile],
])("a %s that is no JSON is refused with what to do", async (name, file) => {
  (await openJournal(directory, first)).close();
  await writeFile(file(), "no JSON\n{}\n");
  await expect(openJournal(directory, first)).rejects.toThrow(
    `${join(directory, name)}: expected JSON; delete ${directory} to start again`,
  );
});

describe("a full disk", () => {
  const full = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  afterEach(() => jest.restoreAllMocks());

  const put = (name: string) => ({ queue: name, attributes: { VisibilityTimeout: "30" } });
  const namesIn = ({ sqs }: SimulationSnapshot) => sqs.queues.map(({ name }) => name);
  const sentence = () => new RegExp(`^${directory}/simulation\\.journal: the disk is full: free some space`);

  test("in the middle of a line: the change is refused, the earlier ones stay, and nothing is written after it", async () => {
    const journal = await openJournal(directory, first);
    journal.record(put("before"));
    const write = fs.writeSync.bind(fs) as (file: number, line: Buffer, from: number, length?: number) => number;
    const spy = jest.spyOn(fs, "writeSync");
    spy.mockImplementationOnce(((file: number, line: Buffer, from: number) => write(file, line, from, 7)) as never);
    spy.mockImplementationOnce(() => {
      throw full();
    });
    expect(() => journal.record(put("refused"))).toThrow(sentence());
    spy.mockRestore();
    expect(() => journal.record(put("later"))).toThrow(sentence());
    expect((await journal.failed).message).toMatch(sentence());
    journal.close();
    const again = await openJournal(directory, first);
    expect(namesIn(again.snapshot)).toEqual(["before"]);
    again.close();
  });

  test("of a snapshot: the changes stay in the journal, and no draft is left", async () => {
    const journal = await openJournal(directory, first);
    journal.record(put("kept"));
    jest.spyOn(fs, "writeFileSync").mockImplementationOnce(() => {
      throw full();
    });
    expect(() => journal.compactWith(() => empty)).toThrow("the disk is full");
    jest.restoreAllMocks();
    expect(() => journal.close()).not.toThrow();
    const again = await openJournal(directory, first);
    expect(namesIn(again.snapshot)).toEqual(["kept"]);
    again.close();
    await expect(stat(`${snapshotFile()}.new`)).rejects.toThrow("ENOENT");
  });
});
