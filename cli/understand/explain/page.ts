import { keyNamed, shownName } from "../../../lib/model/hpa-key";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { humanDuration } from "../../../lib/k8s/human-duration";
import { hpaStates } from "../../../lib/model/hpa-states";
import { ownPeriodSeconds } from "../../../lib/model/entry/options";
import type { DecisionRecord } from "../../../lib/model/stored/state";
import { isDryRunScaling } from "../../../lib/core/explain/digest";
import type { Explanation } from "../../../lib/read/explanation";
import type { ExplainText } from "../../../lib/read/page/answers";
import { type HpaFacts, lastSyncOf } from "../../../lib/read/hpa-facts";
import { describeHold, describeRemark } from "./decision-table";
import type { Caller } from "../../shell/advice/caller";
import { nextText, type Said, saidText } from "./next";
import { summaryOf } from "./summary";
import type { Times } from "../../shell/print/times";
import type { MetricReading } from "../../../lib/core/explain/metric-reading";
import type { PodDetail } from "../../../lib/model/step";

/** Breaks at single spaces. Long words, commands in backquotes and columns (two spaces) stay whole, to be copied. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of wordsOf(text)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const last = words.at(-1);
    const isOpen = last !== undefined && last.split("`").length % 2 === 0;
    if (isOpen && text.split("`").length % 2 === 1) words[words.length - 1] = `${last} ${word}`;
    else words.push(word);
  }
  return words;
}

export interface Page {
  readonly facts: HpaFacts;
  readonly explanation: Explanation;
  readonly followed?: readonly DecisionRecord[];
}

export interface Paper {
  readonly times: Times;
  readonly caller: Caller;
  readonly emphasize: (text: string) => string;
  readonly columns: number | undefined;
}

const margin = 10;

/** The answer first, then its reasons, one a line. */
export function explainPage(page: Page, { times, caller, emphasize, columns = Infinity }: Paper): string {
  const { summary, sections } = explainText(page, { times, caller });
  const head = wrap(escapeLine(summary), columns).map(emphasize);
  const rows = sections.flatMap(({ label, texts }) =>
    texts
      .flatMap((text) => wrap(escapeLine(text), Math.max(40, columns - margin)))
      .map((line, index) => `  ${(index === 0 ? label : "").padEnd(margin - 2)}${line}`),
  );
  return `${[...head, "", ...rows].join("\n")}\n`;
}

export function explainText(page: Page, { times, caller }: Pick<Paper, "times" | "caller">): ExplainText {
  const { facts, explanation } = page;
  const summary = `${shownName(keyNamed(facts.namespace, facts.name))} ${summaryOf(facts, explanation, times)}.`;
  const sections = sectionsOf(page, times).filter(([, said]) => said.length > 0);
  return {
    summary,
    sections: sections.map(([label, said]) => ({ label, texts: said.map((one) => saidText(one, caller)) })),
  };
}

function sectionsOf(page: Page, times: Times): readonly (readonly [label: string, texts: readonly Said[]])[] {
  const { facts, explanation, followed } = page;
  const { decision, remarks, states } = explanation;
  const next = nextText(facts, explanation, times);
  const holds = (decision?.holds ?? []).map((hold) => describeHold(hold, times));
  const followers = followed?.map((record) => following(record, times)) ?? [];
  return [
    ["note", remarks.map((remark) => describeRemark(remark, facts, times))],
    ["read", readings(explanation)],
    ["pods", podTexts(decision?.metrics ?? [])],
    ["held", holds],
    ["next", next === undefined ? [] : [next]],
    ["then", followed !== undefined && followers.length === 0 ? ["nothing else is recorded since"] : followers],
    ["state", states === undefined ? [] : [states.map((state) => hpaStates[state].label).join(", ")]],
    ["about", [subject(page, times)]],
  ];
}

function readings({ decision }: Explanation): readonly string[] {
  const metrics = decision?.metrics ?? [];
  const width = Math.min(32, Math.max(0, ...metrics.map(({ metric }) => metric.length)));
  return metrics.map(({ metric, read, asksFor, notes, failure }) => {
    const label = metric.padEnd(width);
    const asks = asksFor === null ? [] : [[`asks for ${asksFor}`, ...notes].join(", ")];
    return `${label}  ${[failure === undefined ? read : `unknown: ${failure.message}`, ...asks].join(": ")}`;
  });
}

function following(record: DecisionRecord, times: Times): string {
  const { at, from, scaleTo, dryRun } = record;
  const text = () => {
    if (from === null) return "could not be scaled";
    if (dryRun === true)
      return isDryRunScaling(record)
        ? `would have scaled ${from} → ${record.desiredReplicas} (dry run)`
        : `would have stayed at ${from} (dry run)`;
    return scaleTo === null || scaleTo === from ? `stayed at ${from}` : `${from} → ${scaleTo}`;
  };
  return `${times.moment(at)}  ${text()}`;
}

function subject({ facts, explanation, followed }: Page, times: Times): string {
  const { cluster, entry } = facts;
  const isPast = followed !== undefined;
  const target = "hpa" in entry ? [`${entry.hpa.spec.scaleTargetRef.kind}/${entry.hpa.spec.scaleTargetRef.name}`] : [];
  const bounds = "hpa" in entry ? [`${entry.hpa.spec.minReplicas ?? 1} to ${entry.hpa.spec.maxReplicas} replicas`] : [];
  const lastSynced = lastSyncOf(facts);
  const synced = isPast || lastSynced === undefined ? [] : [`synced at ${times.near(lastSynced)}`];
  const seconds = "hpa" in entry ? ownPeriodSeconds(entry.hpa) : undefined;
  const period = seconds === undefined ? [] : [`synced every ${humanDuration(seconds * 1_000)}`];
  const { valuesAt } = explanation.decision ?? {};
  const values = valuesAt === undefined ? [] : [`values read at ${times.near(valuesAt)}`];
  return [...target, `cluster ${cluster.key}`, ...bounds, ...period, ...synced, ...values].join(", ");
}

export function podTexts(metrics: readonly MetricReading[]): readonly string[] {
  const texts = metrics.flatMap(({ metric, pods }) => (pods === undefined ? [] : [{ metric, text: podText(pods) }]));
  const [first] = texts;
  if (first === undefined) return [];
  if (texts.every(({ text }) => text === first.text)) return [first.text];
  return texts.map(({ metric, text }) => `${metric}: ${text}`);
}

function podText({ ready, unready, missing, ignored, unreadyPods, missingPods, ignoredPods }: PodDetail): string {
  const others = [
    ...group(unready, "not ready yet", unreadyPods),
    ...group(missing, "without a sample", missingPods),
    ...group(ignored, "deleted or failed", ignoredPods),
  ];
  const all = ready + unready + missing + ignored;
  if (others.length === 0) return all === 1 ? "the only one counted" : `all ${all} counted`;
  return [`${ready} of ${all} counted`, ...others].join("; ");
}

/** "5 not ready yet: web-1, web-2, web-3 and 2 more". Older records have no names. */
function group(count: number, words: string, names: string | undefined): readonly string[] {
  if (count === 0) return [];
  if (names === undefined) return [`${count} ${words}`];
  const hidden = count - names.split(", ").length;
  return [`${count} ${words}: ${names}${hidden > 0 ? ` and ${hidden} more` : ""}`];
}
