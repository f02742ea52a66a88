import { type Dashboard, serveDashboard } from "../../../cli/look/dashboard/serve";
import { openHistoryReader, storeOn } from "../../../compose";
import { pause } from "../../../lib/async/within-time";
import type { HpaAnswer, SourceAnswer } from "../../../lib/read/page/answers";
import { openEntries } from "../../../lib/table/entries";
import type { Table } from "../../../lib/table/reads";
import { at, noon } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { plainCaller } from "../advice/plain-caller";
import { recordFleet, type Recorded } from "../../web/recorded-fleet";

const { signal } = new AbortController();
const fleet: readonly Recorded[] = [
  { cluster: "prod", namespace: "shop", name: "web", kind: "held" },
  { cluster: "prod", namespace: "shop", name: "orders", kind: "failing" },
];
const files = { "index.html": "<title>ebb</title>", "app.js": "1", "app.css": "", "icon.svg": "<svg/>" };
let table: Table;
let dashboard: Dashboard;

beforeAll(async () => {
  table = { client: memoryDynamodb(), name: memoryTableName };
  await recordFleet(table, fleet, signal);
  dashboard = await serve();
});
afterAll(() => dashboard.close());

function serve(port = 0): Promise<Dashboard> {
  const [now, entries] = [() => at(10), openEntries(table)];
  const store = storeOn(table, { now });
  const callerFor = () => Promise.resolve(plainCaller);
  const history = openHistoryReader(table, now);
  return serveDashboard({
    store,
    entries,
    history,
    now,
    pause,
    callerFor,
    files,
    port,
    isPaid: false,
    dollarsPerHour: 0.04,
  });
}

async function ask<T>(path: string): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(`${dashboard.url}${path}`);
  return { status: response.status, body: (await response.json()) as T };
}

test("an HPA's page has the words of `ebb explain`, and the command that prints them", async () => {
  const { status, body } = await ask<HpaAnswer>("api/hpa?cluster=prod&namespace=shop&name=web");
  expect(status).toBe(200);
  expect(body.row).toMatchObject({ name: "web", state: "held" });
  expect(body.explained.summary).toMatch(/^shop\/web stays at 8 replicas, though the metrics ask for 2/);
  expect(body.explained.sections.map(({ label }) => label)).toEqual(["read", "held", "next", "state", "about"]);
  expect(body.explained.sections[1]?.texts[0]).toMatch(/^scale-down until .*stabilization window of 5m/);
  expect(body.command).toBe("ebb explain hpa web -n shop --cluster prod");
  expect(body.yaml).toContain("maxReplicas: 10");
  expect(body.yaml).toMatch(/^status:\n(.|\n)*reason: ScaleDownStabilized/m);
  expect(body).not.toHaveProperty("at");
});

test("of a past time, it has the decision that counted then", async () => {
  const then = new Date(at(5)).toISOString();
  const { body } = await ask<HpaAnswer>(`api/hpa?cluster=prod&namespace=shop&name=web&at=${then}`);
  expect(body.at).toBe(noon);
  expect(body.explained.summary).toContain("stayed at 8 replicas");
  expect(body.command).toBe(`ebb explain hpa web --at ${then} -n shop --cluster prod`);
  expect(body.decisions).toMatchObject([{ at: noon, from: 8, to: 8 }]);
});

test.each<[string, string, number, RegExp]>([
  ["an unknown HPA", "name=nobody", 404, /no such HPA/],
  ["a name that every object inherits", "name=__proto__", 404, /no such HPA/],
  ["a time before every decision", "name=web&at=2020-01-01T00:00:00Z", 404, /no such decision/],
  ["no time", "name=web&at=soon", 400, /expected a time such as 03:00/],
])("%s is refused in words", async (_, query, status, words) => {
  const answer = await ask<{ readonly error: string }>(`api/hpa?cluster=prod&namespace=shop&${query}`);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatch(words);
});

test("a source without an entry has no kind", async () => {
  const { body } = await ask<SourceAnswer>("api/source?cluster=prod&name=none");
  expect(body).toEqual({ cluster: "prod", name: "none", hpas: 0, errors: [], readings: [] });
});

test("the files, and nothing else of this machine", async () => {
  const page = await fetch(dashboard.url);
  expect([page.headers.get("content-type"), await page.text()]).toEqual([
    "text/html; charset=utf-8",
    "<title>ebb</title>",
  ]);
  for (const path of ["../package.json", "..%2fpackage.json", "constructor", "api", "app.js/", "%00"])
    expect((await fetch(`${dashboard.url}${path}`)).status).not.toBe(200);
});

test("the list is a stream of events that begins with everything", async () => {
  const leaving = new AbortController();
  const response = await fetch(`${dashboard.url}api/fleet`, { signal: leaving.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes('"loaded"')) break;
  }
  leaving.abort();
  const rows = text.split("\n\n").filter((line) => line.startsWith('data: {"type":"rows"'));
  expect(rows.join("")).toContain('"name":"orders","target":"Deployment/orders","state":"failing"');
});

test("a port that is taken is named", async () => {
  const { port } = new URL(dashboard.url);
  await expect(serve(Number(port))).rejects.toThrow(`port ${port} is in use: choose another one with --port`);
});

test("each run has a key of its own, and a closed one lets nobody in", async () => {
  const other = await serve();
  expect(new URL(other.url).pathname).not.toBe(new URL(dashboard.url).pathname);
  const stranger = await fetch(other.url.replace(/\/[^/]+\/$/, new URL(dashboard.url).pathname));
  expect(stranger.status).toBe(403);
  const streaming = await fetch(`${other.url}api/fleet`);
  await other.close();
  await expect(streaming.text()).rejects.toThrow();
  await expect(fetch(other.url)).rejects.toThrow();
});
