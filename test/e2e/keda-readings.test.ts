import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseMilli } from "../../lib/k8s/quantity";
import { openUpstream, type Upstream } from "../../parity/ask-upstream";
import {
  type ReadingAnswer,
  readingRows,
  readReadings,
  readingsFile,
  type RecordedReading,
  writtenReadings,
} from "../../parity/keda/readings";
import { imported } from "../sources/imported";
import { contextOf } from "../sources/read-context";
import { type Case, cases, differenceOf, idOf, on, query } from "./keda/cases";
import { appUrl, fillServers, startServers, stopServers, type Subject, subjects } from "./keda/servers";
import { inCheckout } from "./servers/checkout";
import { eventually } from "./servers/eventually";

/**
 * An imported trigger reads the number and the activity that KEDA's own scaler reads of the same server. KEDA's answers
 * are recorded: `npm run keda:record` asks again, of these servers.
 */
const isRecording = process.env.EBB_RECORD !== undefined;
let keda: Upstream | undefined;

function metadataOf({ subject, metadata }: Case): Readonly<Record<string, string>> {
  const { path, ...given } = metadata;
  return { ...subjects[subject].metadata(), ...(path !== undefined && { url: `${appUrl()}${path}` }), ...given };
}

/** The number of an imported trigger, and whether KEDA's rule calls it active. */
async function readImported(one: Case): Promise<ReadingAnswer> {
  const subject: Subject = subjects[one.subject];
  const metadata = metadataOf(one);
  const { metricName, parameters } = imported(subject.type, metadata);
  const whole = Object.entries({ ...parameters, ...subject.parameters?.() }).filter(([, value]) => value !== undefined);
  const reading = await subject
    .open()
    .open(contextOf(subject.context?.()))
    .read({ metricName, parameters: Object.fromEntries(whole) });
  if ("error" in reading) return { active: false, error: reading.error };
  const total = reading.items.reduce((sum, { value }) => sum + parseMilli(value), 0n);
  return { value: String(total), active: total > parseMilli(metadata[subject.activation] ?? "0") };
}

async function askKeda(upstream: Upstream, one: Case): Promise<RecordedReading["keda"]> {
  const { type, authentication, cluster }: Subject = subjects[one.subject];
  const given = { type, metadata: metadataOf(one), authentication: authentication?.(), cluster: cluster?.() };
  const [answer] = await upstream.ask([{ kind: "reading", given } as never]);
  if (answer === undefined || !("expect" in answer)) throw new Error(`KEDA gave no answer: ${JSON.stringify(answer)}`);
  const { value, active } = answer.expect as ReadingAnswer;
  return value === undefined ? { active: false } : { value: String(parseMilli(value)), active };
}

beforeAll(async () => {
  await startServers();
  await fillServers();
  await eventually("RabbitMQ counts its messages", async () => {
    const counted = on("rabbitmq", { queueName: "orders", mode: "QueueLength" })[0]!;
    expect(await readImported(counted)).toMatchObject({ value: "5000" });
  });
  await eventually("Prometheus has scraped", async () =>
    expect(await readImported(on("prometheus", query("sum(jobs)"))[0]!)).toMatchObject({ value: "15500" }),
  );
  if (!isRecording) return;
  const recorder = execFileSync(process.execPath, [inCheckout("scripts/servers/keda-recorder.mjs")], {
    encoding: "utf8",
  });
  const upstream = (keda = openUpstream(recorder.trim().split("\n").at(-1) ?? ""));
  await eventually("KEDA, which asks Prometheus for whole seconds, sees it too", async () =>
    expect(await askKeda(upstream, on("prometheus", query("sum(jobs)"))[0]!)).toMatchObject({ value: "15500" }),
  );
}, 600_000);

afterAll(async () => {
  await keda?.close();
  await stopServers();
});

test("numbers and activity are KEDA's, but for the listed differences", async () => {
  const recorded = isRecording ? undefined : readReadings();
  const readings: RecordedReading[] = [];
  const differences: object[] = [];
  for (const one of cases) {
    const id = idOf(one);
    const theirs = keda === undefined ? recorded?.get(id) : await askKeda(keda, one);
    if (theirs === undefined) throw new Error(`${readingsFile} has no ${id}: run npm run keda:record`);
    const ours = await readImported(one);
    readings.push({ id, keda: theirs });
    const listed = differenceOf(one);
    const isAsListed =
      listed === undefined
        ? theirs.value === ours.value && theirs.active === ours.active
        : theirs.value === listed.keda && ours.value === listed.ebb;
    if (!isAsListed) differences.push({ id, keda: theirs, ebb: ours, listed });
  }
  if (isRecording) writeFileSync(inCheckout(readingsFile), writtenReadings(readings));
  expect(differences).toEqual([]);
}, 300_000);

test("each listed difference has a case", () => {
  const listed = Object.values(readingRows).map(({ title }) => title);
  expect([...new Set(cases.flatMap((one) => differenceOf(one)?.row.title ?? []))].sort()).toEqual([...listed].sort());
});
