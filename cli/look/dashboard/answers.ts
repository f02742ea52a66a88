import { present } from "../../../lib/k8s/map";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Entries } from "../../../lib/model/ports/entries";
import { keyNamed } from "../../../lib/model/hpa-key";
import { decisionsSince, digestOf, sizeAfter, wouldBe } from "../../../lib/read/decisions";
import { explanationOf, explanationOfRecord } from "../../../lib/read/explanation";
import { serve } from "../../../lib/read/find-hpas";
import { fleetRow } from "./fleet";
import type { HpaAnswer, MomentAnswer, PastDecision, PastEvent } from "../../../lib/read/page/answers";
import { type HpaFacts, readHpaFacts } from "../../../lib/read/hpa-facts";
import type { RecordedEvent } from "../../../lib/model/stored/event-log";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import type { TableStore } from "../../../lib/table/store";
import type { Caller } from "../../shell/advice/caller";
import { commandLine } from "../../shell/advice/print";
import { onHpa } from "../../shell/advice/entries";
import { localTimes, type Times } from "../../shell/print/times";
import { toYaml } from "../../shell/print/to-yaml";
import type { Session } from "../../shell/session";
import { whyOf } from "../../understand/explain/decision-table";
import { pastMoment } from "../../understand/explain/explain-hpa";
import { explainText } from "../../understand/explain/page";

export interface AnswerContext extends Pick<Session, "callerFor"> {
  readonly store: Pick<TableStore, "clusters" | "shards" | "shardsOf" | "load" | "latest" | "events" | "decisions">;
  readonly entries: Pick<Entries, "list">;
  readonly now: () => EpochMs;
}

export interface HpaQuestion {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly at?: string;
}

const listedDecisions = 50;

/** Undefined: no such HPA, or no decision before. Rejects with a Fault or a MomentError. */
export async function answerMoment(
  context: AnswerContext,
  { at, ...subject }: HpaQuestion & { readonly at: string },
  signal: AbortSignal,
): Promise<MomentAnswer | undefined> {
  const { store, now } = context;
  const times = localTimes(now());
  const query = { notAfter: pastMoment(at, times.now), limit: 1 };
  const [facts, [record]] = await Promise.all([
    readHpaFacts(store, subject, signal),
    store.decisions(subject.cluster, keyNamed(subject.namespace, subject.name), query, signal),
  ]);
  if (facts === undefined || record === undefined) return undefined;
  const caller = await callerOf(context, facts);
  const { summary, sections } = explained(facts, { record, followed: undefined, times, caller });
  return {
    at: record.at,
    explained: { summary, sections: sections.filter(({ label }) => label !== "about") },
    command: commandLine(onHpa(["explain"], subject, "--at", at), caller),
  };
}

function callerOf(context: AnswerContext, { cluster }: HpaFacts): Promise<Caller> {
  return context.callerFor(["value" in cluster ? cluster.value : undefined]);
}

/** Undefined: no such HPA, or no decision at that time. Rejects with a Fault or a MomentError. */
export async function answerHpa(
  context: AnswerContext,
  { at, ...subject }: HpaQuestion,
  signal: AbortSignal,
): Promise<HpaAnswer | undefined> {
  const { store, now } = context;
  const times = localTimes(now());
  const moment = at === undefined ? undefined : pastMoment(at, times.now);
  const key = keyNamed(subject.namespace, subject.name);
  const range = { cluster: subject.cluster, from: key, to: `${key}\0` };
  const [facts, newest, found, eventsOf] = await Promise.all([
    readHpaFacts(store, subject, signal),
    store.decisions(subject.cluster, key, { limit: listedDecisions }, signal),
    moment === undefined ? [] : store.decisions(subject.cluster, key, { notAfter: moment, limit: 1 }, signal),
    store.events(range, signal),
  ]);
  if (facts === undefined) return undefined;
  const caller = await callerOf(context, facts);
  const [record] = found;
  if (moment !== undefined && record === undefined) return undefined;
  const followed =
    record === undefined ? undefined : await decisionsSince(store, { ...subject, key, since: record.at }, signal);
  return {
    row: fleetRow(facts, times.now),
    explained: explained(facts, { record, followed, times, caller }),
    ...present({ at: record?.at }),
    command: commandLine(onHpa(["explain"], subject, ...(at === undefined ? [] : ["--at", at])), caller),
    decisions: newest.map((one) => pastDecision(facts, one, times)),
    events: eventsOf.flatMap(({ events }) => events.map((event) => pastEvent(event, times))).reverse(),
    yaml: yamlOf(facts),
  };
}

interface Explaining {
  readonly record: DecisionRecord | undefined;
  readonly followed: readonly DecisionRecord[] | undefined;
  readonly times: Times;
  readonly caller: Caller;
}

function explained(facts: HpaFacts, { record, followed, times, caller }: Explaining): HpaAnswer["explained"] {
  const explanation = record === undefined ? explanationOf(facts, times.now) : explanationOfRecord(facts, record);
  const after = followed && { followed: followed.toReversed().slice(0, 5) };
  return explainText({ facts, explanation, ...after }, { times, caller });
}

function pastDecision(facts: HpaFacts, record: DecisionRecord, times: Times): PastDecision {
  const { at, from, dryRun } = record;
  const to = dryRun === true ? wouldBe(record) : sizeAfter(record);
  const why = whyOf(record, digestOf(facts, record), times);
  return { at, time: times.moment(at), from, to, ...(dryRun === true && { dryRun }), why };
}

function pastEvent({ lastTimestamp, type, reason, message, count }: RecordedEvent, times: Times): PastEvent {
  return { time: times.near(lastTimestamp), type, reason, message, count };
}

function yamlOf({ entry, state }: HpaFacts): string {
  if ("errors" in entry) return entry.errors.join("\n");
  const { metadata, spec, status } = serve(entry.hpa, state?.status);
  return toYaml({ metadata, spec, status }, { terminal: undefined });
}
