import { hpaKey } from "../../lib/model/hpa-key";
import { Command, InvalidArgumentError, Option } from "commander";
import { toJson } from "../../lib/k8s/printing/to-json";
import { toYaml } from "../../lib/k8s/printing/to-yaml";
import { examples } from "../help";
import { decisionsSince, digestOf } from "../../lib/read/decisions";
import { explanationOf, explanationOfRecord } from "../../lib/read/explanation";
import { type HpaFacts, readHpaFacts } from "../../lib/read/hpa-facts";
import { decisionTable } from "./decision-table";
import { explanationJson, recordJson } from "./json";
import { explainFields } from "./fields/field-page";
import { explainPage, type Page } from "./page";
import { MomentError, pastMoment } from "./past-moment";
import { localTimes, type Times } from "./times";
import { failure, serverFailure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { openOutput } from "../output";
import { type Session, withSession } from "../session";
import type { Surroundings } from "../surroundings";

interface Options {
  readonly at?: string;
  readonly last?: number;
  readonly since?: string;
  readonly output?: "json" | "yaml";
}

/** `ebb explain hpa NAME`: why it has the size that it has; `ebb explain hpa.spec`: what the fields are. */
export function explainCommand(surroundings: Surroundings): Command {
  return new Command("explain")
    .description("Explain why an HPA has its size (explain hpa NAME), or what the fields of a kind mean.")
    .argument("<field>", "a kind, or a field of one by its path: cluster, source.spec, hpa.spec.behavior.scaleUp")
    .addHelpText(
      "after",
      examples([
        ["Why does it (not) scale?", "ebb explain hpa orders -n shop"],
        ["The fields of a cluster's entry", "ebb explain cluster.spec"],
        ["How ebb authenticates to a cluster", "ebb explain cluster.spec.auth"],
        ["The settings for the pace of scaling", "ebb explain hpa.spec.behavior"],
        ["The parameters of sqs and cloudwatch", "ebb explain source.spec.parameters"],
      ]),
    )
    .action((path: string) => openOutput(surroundings).write(explainFields(path)))
    .addCommand(addGlobalOptions(hpaCommand(surroundings)));
}

function hpaCommand(surroundings: Surroundings): Command {
  const hpa = new Command("hpa")
    .alias("horizontalpodautoscaler")
    .description(
      "Explain what an HPA read, what each metric asked for, what held it back, and what happens next and when.",
    )
    .argument("[name]", "the HPA, as NAME or hpa/NAME; without it: the fields of an HPA")
    .option("--at <time>", "how it was at a time: 03:00, '2026-03-01 03:00', RFC 3339, or 2h for two hours ago")
    .addOption(
      new Option("--last <n>", "list the last decisions, one a line").argParser(count).conflicts(["at", "since"]),
    )
    .addOption(new Option("--since <time>", "list the decisions since a time, one a line").conflicts("at"))
    .addOption(new Option("-o, --output <format>", "as data").choices(["json", "yaml"]))
    .addHelpText(
      "after",
      examples([
        ["Why does it (not) scale?", "ebb explain hpa orders -n shop"],
        ["How was it at three o'clock?", "ebb explain hpa orders -n shop --at 03:00"],
        ["Who scaled in the last six hours?", "ebb explain hpa orders -n shop --since 6h"],
        ["The last ten decisions, as data", "ebb explain hpa orders -n shop --last 10 -o json"],
      ]),
    );
  return hpa.action((name: string | undefined, options: Options, command: Command) => {
    if (name === undefined) return explainKind(surroundings, options);
    return withSession(surroundings, command, (session) =>
      run(session, name.replace(/^(hpa|horizontalpodautoscaler)\//, ""), options),
    );
  });
}

/** `explain hpa` without a name; the options need one. */
function explainKind(surroundings: Surroundings, { at, last, since, output }: Options): void {
  if ([at, last, since, output].some((option) => option !== undefined)) {
    throw failure("missing required argument 'name'");
  }
  openOutput(surroundings).write(explainFields("hpa"));
}

async function run(session: Session, name: string, options: Options): Promise<void> {
  const { store, settings, signal, out } = session;
  const { namespace } = settings;
  const cluster = await session.cluster();
  const facts = await out.during("reading", readHpaFacts(store, { cluster, namespace, name }, signal));
  if (options.last !== undefined || options.since !== undefined)
    return list(session, facts, options, { cluster, name });
  if (facts === undefined) {
    throw serverFailure("NotFound", `horizontalpodautoscalers.autoscaling "${name}" not found`);
  }
  return options.at === undefined
    ? explainNow(session, facts, options)
    : explainThen(session, facts, { ...options, at: options.at });
}

function explainNow({ now, out }: Session, facts: HpaFacts, { output }: Options): void {
  const times = localTimes(now());
  const explanation = explanationOf(facts, times.now);
  if (output !== undefined) return printData(out, output, explanationJson(facts, explanation, times.now));
  print(out, { facts, explanation }, times);
}

/** The decision in force at the time, and what followed it. */
async function explainThen(
  session: Session,
  facts: HpaFacts,
  options: Options & { readonly at: string },
): Promise<void> {
  const { store, signal, out, now } = session;
  const times = localTimes(now());
  const at = momentOf(options.at, times.now);
  const key = hpaKey(facts.namespace, facts.name);
  const cluster = facts.cluster.key;
  const [record] = await store.decisions(cluster, key, { notAfter: at, limit: 1 }, signal);
  if (record === undefined) {
    throw failure(`no decision of ${key} is recorded at ${times.moment(at)} or before; --since lists those that are`);
  }
  const explanation = explanationOfRecord(facts, record);
  if (options.output !== undefined)
    return printData(out, options.output, explanationJson(facts, explanation, times.now));
  const followed = await decisionsSince(store, { cluster, key, since: record.at }, signal);
  print(out, { facts, explanation, followed: followed.toReversed().slice(0, 5) }, times);
}

/** The decisions of a deleted HPA stay for a while. */
async function list(
  { store, settings, signal, out, now }: Session,
  facts: HpaFacts | undefined,
  { last, since, output }: Options,
  { cluster, name }: { readonly cluster: string; readonly name: string },
): Promise<void> {
  const times = localTimes(now());
  const key = hpaKey(settings.namespace, name);
  const records = await out.during(
    "reading",
    since === undefined
      ? store.decisions(cluster, key, { limit: last ?? 1 }, signal)
      : decisionsSince(store, { cluster, key, since: momentOf(since, times.now) }, signal),
  );
  if (records.length === 0 && facts === undefined) {
    throw serverFailure("NotFound", `horizontalpodautoscalers.autoscaling "${name}" not found`);
  }
  const read = records.map((record) => ({ record, digest: digestOf(facts, record) }));
  if (output !== undefined)
    return printData(out, output, { items: read.map(({ record, digest }) => recordJson(record, digest)) });
  if (read.length === 0)
    return out.note(`No decisions of ${key} are recorded${since === undefined ? "" : " since then"}.`);
  out.write(decisionTable(read, times));
}

function print(out: Session["out"], page: Page, times: Times): void {
  const columns = out.terminal?.columns;
  const emphasize = (text: string) => out.style("bold", text);
  out.write(explainPage(page, { times, columns, emphasize }));
}

function printData(out: Session["out"], format: "json" | "yaml", data: object): void {
  out.write(format === "json" ? toJson(data) : toYaml(data));
}

function momentOf(text: string, now: number): number {
  try {
    return pastMoment(text, now);
  } catch (error) {
    if (error instanceof MomentError) throw failure(error.message);
    throw error;
  }
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number, 1 or more");
  return value;
}
