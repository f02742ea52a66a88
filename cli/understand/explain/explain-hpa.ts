import { type EpochMs, InstantError, parseInstant } from "../../../lib/k8s/time";
import { isFault } from "../../../lib/model/fault";
import { type HpaName, keyNamed, shownName } from "../../../lib/model/hpa-key";
import { decisionsSince, digestOf } from "../../../lib/read/decisions";
import { explanationOf, explanationOfRecord } from "../../../lib/read/explanation";
import { type HpaFacts, readHpaFacts } from "../../../lib/read/hpa-facts";
import type { PodsNow } from "./pods-now";
import { failure } from "../../shell/failure";
import { alignFor } from "../../shell/print/fit-columns";
import { toJson } from "../../shell/print/to-json";
import { toYaml } from "../../shell/print/to-yaml";
import { missingLines } from "../../shell/input/find";
import type { Session } from "../../shell/session";
import type { Caller } from "../../shell/advice/caller";
import { decisionTable } from "./decision-table";
import { explanationJson, recordJson } from "./json";
import { type Page, type Paper, explainPage } from "./page";
import { podsTable } from "./pods-table";
import { localTimes } from "../../shell/print/times";

export interface DecisionOptions {
  readonly at?: string;
  readonly last?: number;
  readonly since?: string;
  readonly output?: "json" | "yaml";
  readonly pods?: boolean;
}

export interface ExplainAnswer {
  readonly text: string;
  readonly note?: string;
  readonly isFailed?: boolean;
}

/** Rejects with a Fault. */
export type PodReader = (facts: HpaFacts) => Promise<PodsNow>;

/** @throws Failure when the HPA is unknown */
export async function explainHpa(
  session: Session & { readonly podReader?: PodReader },
  subject: HpaName,
  options: DecisionOptions,
): Promise<ExplainAnswer> {
  const { store, signal } = session;
  const facts = await readHpaFacts(store, subject, signal);
  if (options.last !== undefined || options.since !== undefined) return list(session, facts, options, subject);
  if (facts === undefined) throw await notFound(session, subject);
  const { at } = options;
  const { podReader } = session;
  if (podReader !== undefined) return await explainWithPods(session, facts, { ...options, podReader });
  const text =
    at === undefined
      ? await explainNow(session, facts, options)
      : await explainThen(session, facts, { ...options, at });
  return { text };
}

async function notFound(session: Session, { cluster, namespace, name }: HpaName): Promise<Error> {
  const place = { resource: "hpa", clusters: [cluster], namespace } as const;
  return failure((await missingLines(session, place, [name])).join("\n"));
}

async function explainNow(
  session: Session,
  facts: HpaFacts,
  { output, more }: DecisionOptions & { readonly more?: object },
): Promise<string> {
  const { now, out } = session;
  const times = localTimes(now());
  const caller = await callerOf(session, facts);
  const explanation = explanationOf(facts, times.now);
  if (output !== undefined)
    return dataText(out, output, { ...explanationJson(facts, explanation, { now: times.now, caller }), ...more });
  return pageText(out, { facts, explanation }, { times, caller });
}

async function explainWithPods(
  session: Session,
  facts: HpaFacts,
  { podReader, ...options }: DecisionOptions & { readonly podReader: PodReader },
): Promise<ExplainAnswer> {
  try {
    const pods = await podReader(facts);
    const page = await explainNow(session, facts, { ...options, more: { pods } });
    if (options.output !== undefined) return { text: page };
    const target = "hpa" in facts.entry ? facts.entry.hpa.spec.scaleTargetRef : { kind: "?", name: "?" };
    const shown = { target: `${target.kind}/${target.name}`, align: alignFor(session.out.terminal) };
    return { text: `${page}\n${podsTable(pods, shown)}` };
  } catch (error) {
    if (!isFault(error)) throw error;
    const text = await explainNow(session, facts, { ...options, more: { pods: { failure: error.message } } });
    return { text, note: `error: the pods cannot be read: ${error.message}`, isFailed: true };
  }
}

async function explainThen(
  session: Session,
  facts: HpaFacts,
  options: DecisionOptions & { readonly at: string },
): Promise<string> {
  const { store, signal, out, now } = session;
  const times = localTimes(now());
  const at = momentOf(options.at, times.now);
  const key = keyNamed(facts.namespace, facts.name);
  const cluster = facts.cluster.key;
  const [record] = await store.decisions(cluster, key, { notAfter: at, limit: 1 }, signal);
  if (record === undefined) {
    throw failure(
      `no decision of ${shownName(key)} is recorded at ${times.moment(at)} or before; --since lists those that are`,
    );
  }
  const explanation = explanationOfRecord(facts, record);
  const caller = await callerOf(session, facts);
  if (options.output !== undefined)
    return dataText(out, options.output, explanationJson(facts, explanation, { now: times.now, caller }));
  const followed = await decisionsSince(store, { cluster, key, since: record.at }, signal);
  return pageText(out, { facts, explanation, followed: followed.toReversed().slice(0, 5) }, { times, caller });
}

async function list(
  session: Session,
  facts: HpaFacts | undefined,
  { last, since, output }: DecisionOptions,
  subject: HpaName,
): Promise<ExplainAnswer> {
  const { store, signal, now, out } = session;
  const { cluster, namespace, name } = subject;
  const times = localTimes(now());
  const key = keyNamed(namespace, name);
  const records =
    since === undefined
      ? await store.decisions(cluster, key, { limit: last ?? 1 }, signal)
      : await decisionsSince(store, { cluster, key, since: momentOf(since, times.now) }, signal);
  if (records.length === 0 && facts === undefined) throw await notFound(session, subject);
  const read = records.map((record) => ({ record, digest: digestOf(facts, record) }));
  if (output !== undefined)
    return {
      text: dataText(out, output, { items: read.map(({ record, digest }) => recordJson(record, digest, times.now)) }),
    };
  if (read.length > 0) return { text: decisionTable(read, times, alignFor(out.terminal)) };
  return {
    text: "",
    note: `No decisions of ${shownName(key)} are recorded${since === undefined ? "" : " since then"}.`,
  };
}

function callerOf({ callerFor }: Session, { cluster }: HpaFacts): Promise<Caller> {
  return callerFor(["value" in cluster ? cluster.value : undefined]);
}

function pageText(out: Session["out"], page: Page, { times, caller }: Pick<Paper, "times" | "caller">): string {
  const columns = out.terminal?.columns;
  const emphasize = (text: string) => out.style("bold", text);
  return explainPage(page, { times, caller, columns, emphasize });
}

function dataText(out: Session["out"], format: "json" | "yaml", data: object): string {
  return (format === "json" ? toJson : toYaml)(data, out);
}

function momentOf(text: string, now: number): number {
  try {
    return pastMoment(text, now);
  } catch (error) {
    if (error instanceof MomentError) throw failure(error.message);
    throw error;
  }
}

export class MomentError extends Error {
  constructor(text: string) {
    super(
      `expected a time such as 03:00, "2026-03-01 03:00", 2026-03-01T03:00:00Z or 2h (ago), got ${JSON.stringify(text)}`,
    );
    this.name = "MomentError";
  }
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const pastClock = /^(?:(\d{4})-(\d\d)-(\d\d)[ T])?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/**
 * A clock time (its latest occurrence), a day and a clock time, a duration ago ("90s", "2h30m", "1d"), or RFC 3339.
 * Clocks and days are this machine's. @throws MomentError
 */
export function pastMoment(text: string, now: EpochMs): EpochMs {
  const ago = millisecondsOf(text);
  if (ago !== undefined) return now - ago;
  const match = pastClock.exec(text);
  if (match !== null) return clockTime(match, text, now);
  try {
    return parseInstant(text);
  } catch (error) {
    if (error instanceof InstantError) throw new MomentError(text);
    throw error;
  }
}

function millisecondsOf(text: string): number | undefined {
  if (!/^(\d+[smhd])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

function clockTime(
  [, year, month, day, hours, minutes, seconds = "0"]: RegExpExecArray,
  text: string,
  now: EpochMs,
): EpochMs {
  const at = new Date(now);
  if (year !== undefined) at.setFullYear(Number(year), Number(month) - 1, Number(day));
  if (year !== undefined && at.getDate() !== Number(day)) throw new MomentError(text);
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (year === undefined && at.getTime() > now) at.setDate(at.getDate() - 1);
  return at.getTime();
}
