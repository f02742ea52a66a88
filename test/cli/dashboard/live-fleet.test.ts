import { type LiveFleet, liveFleet, type LiveFleetContext } from "../../../cli/look/dashboard/live-fleet";
import { openHistoryReader, storeOn } from "../../../compose";
import { Fault } from "../../../lib/model/fault";
import { onAbort } from "../../../lib/async/within-time";
import { PutItemCommand } from "../../../lib/aws/http/dynamodb-commands";
import type { FleetMessage } from "../../../lib/read/page/fleet-row";
import { openEntries } from "../../../lib/table/entries";
import { toItem } from "../../../lib/table/items/attributes";
import type { TableStore } from "../../../lib/table/store";
import { at, noon } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { until } from "../../time/until";
import { fleetOf, recordFleet } from "../../web/recorded-fleet";

const { signal } = new AbortController();
const fleet = fleetOf(60, ["prod", "test"]);
let table: { readonly client: ReturnType<typeof memoryDynamodb>; readonly name: string };
let live: LiveFleet;
let store: TableStore;
let now = noon;
let pauses: { readonly ms: number; readonly end: () => void }[];

beforeEach(async () => {
  [now, pauses] = [at(10), []];
  table = { client: memoryDynamodb(), name: memoryTableName };
  store = storeOn(table, { now: () => now });
  await recordFleet(table, fleet, signal);
  live = liveFleet(context());
});
afterEach(() => live.close());

function context(given: Partial<LiveFleetContext> = {}): LiveFleetContext {
  const pause = (ms: number, ending: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const one = { ms, end: resolve };
      pauses.push(one);
      onAbort(ending, () => {
        pauses = pauses.filter((other) => other !== one);
        reject(new Error("aborted"));
      });
    });
  const history = openHistoryReader(table, () => now);
  return { store, now: () => now, pause, isPaid: false, history, dollarsPerHour: 0.04, ...given };
}

/** What a page got, and waits for. */
function look() {
  const messages: FleetMessage[] = [];
  const leave = live.subscribe((line) => messages.push(JSON.parse(line) as FleetMessage));
  const of = <Type extends FleetMessage["type"]>(type: Type) =>
    messages.filter((one): one is Extract<FleetMessage, { type: Type }> => one.type === type);
  const rows = () => of("rows").flatMap((one) => one.rows);
  return { messages, leave, of, rows, loads: (count: number) => until(() => of("loaded").length >= count) };
}

/** Ends the pause after a pass. */
async function nextPass(): Promise<void> {
  const after = () => pauses.find(({ ms }) => ms <= 6_000 || ms === 15_000);
  await until(() => after() !== undefined);
  const one = after();
  pauses = pauses.filter((other) => other !== one);
  now += 15_000;
  one?.end();
}

test("a page gets every HPA of every cluster, and a second page at once the same", async () => {
  const first = look();
  await first.loads(1);
  expect(
    first
      .rows()
      .map(({ cluster, name }) => `${cluster}/${name}`)
      .sort(),
  ).toEqual(fleet.map(({ cluster, name }) => `${cluster}/${name}`).sort());
  expect(first.of("clusters").at(-1)?.clusters).toMatchObject([
    { cluster: "prod", health: "inTime" },
    { cluster: "test", health: "inTime" },
  ]);
  const second = look();
  expect(second.rows()).toHaveLength(60);
  expect(second.of("loaded")).toHaveLength(1);
});

test("the first load runs alone, so that a page has rows early, and later passes run several at once", async () => {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const load: TableStore["load"] = async (range, ending, known) => {
    begun.push(range.cluster);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return store.load(range, ending, known);
  };
  const answer = async (count: number) => {
    await until(() => waiting.length === count);
    for (const resolve of waiting.splice(0)) resolve();
  };
  live = liveFleet(context({ store: { ...store, load } }));
  const page = look();
  await answer(1);
  await until(() => page.rows().length === 30);
  await answer(1);
  await page.loads(1);
  await nextPass();
  await answer(2);
  await page.loads(2);
  expect(begun).toEqual(["prod", "test", "prod", "test"]);
});

test("after the first time, only what changed is sent", async () => {
  const page = look();
  await page.loads(1);
  const [{ cluster, namespace, name }] = fleet.filter(({ kind }) => kind === "steady") as [(typeof fleet)[number]];
  const annotations = { "ebb.dev/paused": "true" };
  const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, maxReplicas: 10 };
  const Item = toItem({ pk: `CLUSTER#${cluster}`, sk: `HPA#${namespace}/${name}`, metadata: { annotations }, spec });
  await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
  const gone = fleet.find((one) => one.name !== name && one.cluster === "test");
  const ref = { cluster: "test", namespace: gone?.namespace ?? "", name: gone?.name ?? "" };
  const entries = openEntries(table);
  const stored = await entries.get({ kind: "HorizontalPodAutoscaler", ...ref }, signal);
  if (stored !== undefined) await entries.remove(stored, signal);
  const known = page.rows().length;
  await nextPass();
  await page.loads(2);
  expect(page.rows().slice(known)).toMatchObject([{ cluster, namespace, name, state: "paused" }]);
  expect(page.of("gone").flatMap(({ rows }) => rows)).toEqual([ref]);
});

test("a table that fails says so once with since when, keeps what was read, and is over with the next answer", async () => {
  let failing = false;
  const fails = () => Promise.reject(new Fault("throttled", "the table throttles"));
  live = liveFleet(context({ store: { ...store, shards: (ending) => (failing ? fails() : store.shards(ending)) } }));
  const page = look();
  await page.loads(1);
  failing = true;
  await nextPass();
  await until(() => page.of("table").length === 1);
  const since = now;
  await nextPass();
  await until(() => page.of("table").length === 2);
  const problem = { message: "the table throttles", since };
  expect(page.of("table")).toEqual([
    { type: "table", problem },
    { type: "table", problem },
  ]);
  expect(look().messages[0]).toEqual({ type: "table", problem });
  expect(page.of("gone")).toEqual([]);
  failing = false;
  await nextPass();
  await page.loads(2);
  await until(() => page.of("table").length === 3);
  expect(page.of("table").at(-1)).toEqual({ type: "table" });
});

test("a table that does not answer is slow after ten seconds, and given up after a minute", async () => {
  live = liveFleet(
    context({
      store: {
        ...store,
        clusters: (ending) => new Promise((_, reject) => onAbort(ending, () => reject(new Error("given up")))),
      },
    }),
  );
  const page = look();
  await until(() => pauses.some(({ ms }) => ms === 10_000));
  pauses.find(({ ms }) => ms === 10_000)?.end();
  await until(() => page.of("table").length === 1);
  expect(page.of("table")[0]?.problem).toEqual({ message: "it has not answered for 10 s", since: now });
  await until(() => pauses.some(({ ms }) => ms === 50_000));
  pauses.find(({ ms }) => ms === 50_000)?.end();
  await until(() => page.of("table").length === 2);
  expect(page.of("table")[1]?.problem?.since).toBe(now);
});

test("a cluster that cannot be read leaves the others, and says why", async () => {
  const load: TableStore["load"] = (range, ending, known) =>
    range.cluster === "test" ? Promise.reject(new Fault("badEntry", "too large")) : store.load(range, ending, known);
  live = liveFleet(context({ store: { ...store, load } }));
  const page = look();
  await page.loads(1);
  expect(new Set(page.rows().map(({ cluster }) => cluster))).toEqual(new Set(["prod"]));
  expect(page.of("clusters").at(-1)?.clusters).toMatchObject([
    { cluster: "prod" },
    { cluster: "test", unread: { message: "too large", since: now } },
  ]);
  expect(page.of("table")).toEqual([]);
});

test("the table is read while somebody looks, and no longer", async () => {
  let reads = 0;
  live = liveFleet(context({ store: { ...store, clusters: (ending) => (reads++, store.clusters(ending)) } }));
  expect(reads).toBe(0);
  const [one, other] = [look(), look()];
  await one.loads(1);
  expect(reads).toBe(1);
  one.leave();
  await nextPass();
  await other.loads(2);
  other.leave();
  expect(reads).toBe(2);
  await until(() => pauses.length === 0);
});

test("in DynamoDB, a large fleet is read less often", async () => {
  live = liveFleet(context({ isPaid: true }));
  await recordFleet(table, fleetOf(3_000), signal);
  const page = look();
  await page.loads(1);
  await until(() => pauses.some(({ ms }) => ms > 17_000));
});
