import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAwsClients, openConnections, sourcesOver, storeOn, syncPorts } from "../../../compose";
import { onThisMachine } from "../../../lib/net/address";
import type { QueueMessage } from "../../../lib/model/messages";
import type { SlotQueue } from "../../../lib/model/ports/slot-queue";
import type { ScaledLine } from "../../../lib/model/report";
import { tick } from "../../../lib/scheduler/tick";
import { syncMessage } from "../../../lib/sync/sync-message";
import { manualClock } from "../../../local/clock";
import { demoHpas } from "../../../local/demo/demo-hpas";
import type { Bursts } from "../../../local/demo/simulation";
import { startSimulation } from "../../../local/demo/simulation";
import { putCluster, putHpa } from "../../../local/entries";
import { demoQueues } from "../../../local/backends";
import { createAccount } from "../../../local/backends/sqs/account";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { asReported, staleAccount } from "../../fakes/sqs/stale-account";

/** The demo, as `npm start` runs it, with its cluster, queues, consumers and load, in virtual time. */
const start = Date.parse("2026-11-26T12:00:00Z");
const { signal } = new AbortController();
const consumers = ["orders", "invoices"];
let directory = "";
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-stale-demo-"))));
afterEach(() => rm(directory, { recursive: true }));

interface Given {
  readonly minutes: number;
  readonly openAccount: typeof createAccount;
  /** As the demo has them. Default: as users write them for SQS. */
  readonly saysExact?: true;
  /** Default: the demo's. */
  readonly bursts?: readonly Bursts[];
}

/** A queue's message, and when it is due. */
interface Due {
  readonly message: QueueMessage;
  readonly at: number;
}

async function runDemo({ minutes, openAccount, saysExact, bursts }: Given) {
  const clock = manualClock(start);
  const now = () => clock.now();
  const simulation = await startSimulation({ clock, openAccount, ...(bursts && { bursts }) });
  const table = { client: memoryDynamodb(), name: memoryTableName };
  const file = join(directory, "kubeconfig");
  await writeFile(file, simulation.cluster.kubeconfig(simulation.namespace));
  await putCluster(table, "demo", { auth: { type: "kubeconfig", file }, options: { syncPeriodSeconds: 5 } });
  for (const hpa of demoHpas(new Date(start)).filter(({ metadata }) => consumers.includes(metadata.name ?? ""))) {
    const { annotations: _, ...metadata } = hpa.metadata;
    await putHpa(table, "demo", saysExact === true ? hpa : { ...hpa, metadata });
  }
  const { account, credential } = simulation.sqs;
  const clients = openAwsClients(demoQueues(simulation.sqs, credential));
  const connections = openConnections({
    ...{ now, addresses: onThisMachine, kubeconfigs: [{ file }] },
    sources: sourcesOver(clients, { now, addresses: onThisMachine }),
    clients,
  });
  const scaled: ScaledLine[] = [];
  /** Messages in a queue when its consumers go to zero, by their ages in seconds. */
  const left: number[] = [];
  const failures: unknown[] = [];
  const none = () => undefined;
  const reporter = {
    ...{ recovered: none, synced: none, ticked: none },
    failed: (line: unknown) => void failures.push(line),
    scaled(line: ScaledLine) {
      scaled.push(line);
      const queue = account.list().find(({ name }) => name === line.name);
      if (line.to === 0 && queue !== undefined)
        left.push(...queue.messages().map(({ sentAt }) => (now() - sentAt) / 1_000));
    },
  };
  const store = storeOn(table, { now, onBrokenShard: (message) => failures.push(message) });
  const ports = syncPorts({ store, connections, reporter, poller: { byDefault: false } });
  let due: readonly Due[] = [];
  const queue: SlotQueue = {
    send(messages) {
      const sent = messages.map(({ message, delaySeconds }) => ({ message, at: now() + delaySeconds * 1_000 }));
      due = [...due, ...sent].sort((a, b) => a.at - b.at);
      return Promise.resolve();
    },
  };

  for (let minute = 0; minute < minutes; minute += 1) {
    await tick({ store, queue, reporter }, start + minute * 60_000, { now, signal });
    for (let next = due[0]; next !== undefined && next.at < start + (minute + 1) * 60_000; next = due[0]) {
      due = due.slice(1);
      clock.advance(Math.max(0, next.at + 100 - now()));
      await syncMessage(ports, next.message, { now, workedMs: () => 0, deadline: now() + 30_000, signal });
    }
    clock.advance(start + (minute + 1) * 60_000 - now());
  }
  const summary = simulation.summary();
  connections.close();
  await simulation.close();
  const linesOf = (name: string) => scaled.filter((line) => line.name === name);
  return { failures, left, linesOf, summary };
}

test("as its HPAs say that its queues are exact, it goes from zero up and back within a minute", async () => {
  const { failures, linesOf, left } = await runDemo({ minutes: 2, openAccount: createAccount, saysExact: true });
  expect(failures).toEqual([]);
  for (const name of consumers) {
    const lines = linesOf(name);
    const up = lines.find(({ from }) => from === 0);
    const down = lines.find(({ to }) => to === 0);
    expect([up?.from, down?.to]).toEqual([0, 0]);
    expect((down?.at ?? Infinity) - (up?.at ?? 0)).toBeLessThan(60_000);
  }
  expect(left).toEqual([]);
});

test("on counts as stale as SQS's, it goes to zero without work that was there for long, and all of it is done", async () => {
  const openAccount: typeof createAccount = (parts) => staleAccount(parts, { seed: 1, ...asReported });
  const bursts = consumers.map((queue): Bursts => {
    return { queue, firstAfterMs: 1_500, everyMs: 170_000, messages: [20, 30], spreadMs: 1_500 };
  });
  const { failures, linesOf, left, summary } = await runDemo({ minutes: 8, openAccount, bursts });
  expect(failures).toEqual([]);
  expect(left.filter((seconds) => seconds >= 120)).toEqual([]);
  for (const name of consumers) {
    const { sent = 0, processed = 0 } = summary[name] ?? {};
    expect([sent > 40, processed]).toEqual([true, sent]);
    expect(linesOf(name).filter(({ to }) => to === 0).length).toBeGreaterThan(1);
  }
});
