import { createReadStream } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { type Lines, type RefusedLine, answerLines, lineLimitOption } from "./answer-lines";
import { addFilenameOption } from "../../shell/input/document-options";
import { isClosedPipe, isOfFile, unreadable } from "../../shell/input/read-inputs";
import { failure } from "../../shell/failure";
import { examples } from "../../shell/help";
import type { CliEnvironment } from "../../shell/environment";
import { evaluateEntry } from "../../../lib/core/evaluate-entry";
import { isMap } from "../../../lib/k8s/map";
import { unexpected } from "../../../lib/model/check/problem";
import { readOperations } from "../../../lib/model/entry/annotations";
import { metricRulesOf, rulesMetricErrors } from "../../../lib/model/entry/metric-rules";
import { busyErrors } from "../../../lib/model/entry/busy-rule";
import { zeroErrors } from "../../../lib/model/entry/zero-rule";
import type { Decision, History, Situation } from "../../../lib/model/situation";
import { type EpochMs, formatInstant } from "../../../lib/k8s/time";
import { activityJson, historyJson, memoryJson, InputError, withoutNulls } from "./read-history";
import { readMoment, readStory, withStatus, withStoredStatus } from "./read-situation";

interface Options extends Pick<Lines, "lineLimit"> {
  readonly filename?: readonly string[];
}

export function evaluateCommand({ stdin, stdout }: Pick<CliEnvironment, "stdin" | "stdout"> = process): Command {
  const command = new Command("evaluate");
  return addFilenameOption(command)
    .description("Decide what the HPA would do: situations as JSON lines in, one decision a line out.")
    .argument("[FILE]", "JSON lines, each a situation or a story {hpa, options, steps}; default, and -: standard input")
    .addOption(lineLimitOption())
    .addHelpText("after", examples([["The decisions of some situations", "ebb evaluate examples/situation.jsonl"]]))
    .action(async (argument: string | undefined, { filename = [], lineLimit }: Options) => {
      const [file, ...more] = [...(argument === undefined ? [] : [argument]), ...filename];
      if (more.length > 0) throw failure(`expected one file, got ${[file, ...more].join(", ")}`);
      stayBelow100MiB();
      const isStdin = file === undefined || file === "-";
      const input = isStdin ? stdin : createReadStream(file);
      try {
        const { malformed } = await evaluateLines({ input, output: stdout, ...(lineLimit && { lineLimit }) });
        if (malformed > 0) process.exitCode = 1;
      } catch (error) {
        if (isClosedPipe(error)) return;
        if (!isStdin && isOfFile(error)) throw unreadable(file, error);
        command.error(`error: ${isStdin ? "standard input" : file}: ${messageOf(error)}`);
      }
    });
}

/**
 * By default, V8 first lets the heap grow by 50 MB and more. Lines leave nothing behind, and their errors need no
 * stack.
 */
export function stayBelow100MiB(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
  Error.stackTraceLimit = 0;
}

/** A malformed line gets `{id, error}` and affects no other. Rejects when a stream fails. */
export async function evaluateLines(lines: Lines): Promise<{ readonly malformed: number }> {
  let malformed = 0;
  await answerLines(lines, (line) => {
    const { answer, isMalformed } = typeof line === "string" ? evaluateLine(line) : refused(line);
    if (isMalformed) malformed += 1;
    return answer;
  });
  return { malformed };
}

function refused({ problem }: RefusedLine): ReturnType<typeof evaluateLine> {
  return { answer: JSON.stringify({ id: null, error: problem }), isMalformed: true };
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

/** JSON leaves out undefined. */
function decisionJson(decision: Decision, id?: unknown) {
  const { desiredReplicas, scaleTo, status, events, history, steps, memory, activity, sparedSince } = decision;
  return {
    id,
    desiredReplicas,
    scaleTo,
    conditions: (status.conditions ?? []).map(({ type, status: value, reason, message }) => ({
      type,
      status: value,
      reason,
      message,
    })),
    currentMetrics: status.currentMetrics ?? [],
    events,
    history: historyJson(history),
    memory: memoryJson(memory),
    activity: activityJson(activity),
    sparedSince: sparedSince === undefined ? undefined : formatInstant(sparedSince),
    steps,
  };
}

/** A line holds a situation, or a story `{id?, hpa, options?, rules?, steps}`. An error is its answer. */
export function evaluateLine(line: string): { readonly answer: string; readonly isMalformed: boolean } {
  let id: unknown;
  try {
    const document: unknown = JSON.parse(line);
    id = idOf(document);
    const present = line.includes("null") ? withoutNulls(document) : document;
    return { answer: JSON.stringify(evaluateDocument(present, id)), isMalformed: false };
  } catch (error) {
    return { answer: JSON.stringify({ id: id ?? null, error: (error as Error).message }), isMalformed: true };
  }
}

/** @throws InputError for an id that nests deeper than other programs may parse */
function idOf(document: unknown): unknown {
  if (!isMap(document) || !Object.hasOwn(document, "id")) return undefined;
  const id = document["id"];
  withoutNulls(id);
  return id;
}

/** @throws InputError */
function evaluateDocument(document: unknown, id: unknown): object {
  if (!isMap(document)) throw new InputError(unexpected([], "a map", document));
  if (Object.hasOwn(document, "steps")) return { id, steps: evaluateStory(document) };
  const { situation, now } = Object.hasOwn(document, "given")
    ? readMoment(document["given"], ["given"])
    : readMoment(document);
  return decisionJson(decide(situation, now), id);
}

function evaluateStory(document: unknown): readonly unknown[] {
  const story = readStory(document);
  let constant = story.constant;
  let history: History | null = null;
  let memory: Pick<Situation, "memory" | "activity" | "sparedSince"> = {};
  return story.steps.map(({ now, seen }) => {
    const decision = withStoredStatus(constant, decide({ ...constant, ...seen, history, ...memory }, now));
    constant = withStatus(constant, decision.status);
    history = decision.history;
    memory = {
      ...(decision.memory && { memory: decision.memory }),
      ...(decision.activity && { activity: decision.activity }),
      ...(decision.sparedSince !== undefined && { sparedSince: decision.sparedSince }),
    };
    return decisionJson(decision);
  });
}

/** Like the sync: the annotations may pause the HPA, make it a dry run, or give its metrics rules. */
function decide(situation: Situation, now: EpochMs): Decision {
  const operations = readOperations(situation.hpa.metadata);
  if ("errors" in operations) throw new Error(operations.errors.map((error) => `hpa.${error}`).join("; "));
  const misnamed = [...rulesMetricErrors(situation.hpa), ...zeroErrors(situation.hpa), ...busyErrors(situation.hpa)];
  if (misnamed.length > 0) throw new Error(misnamed.map(({ text }) => `hpa.${text}`).join("; "));
  const rules = metricRulesOf(situation.hpa, (_metric, index) => situation.rules?.[index] ?? {});
  const isRuled = rules.some((one) => Object.keys(one).length > 0);
  return evaluateEntry(isRuled ? { ...situation, rules } : situation, operations, now);
}
