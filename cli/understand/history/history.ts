import { Command, Option } from "commander";
import { openHistoryReader } from "../../../compose";
import { present } from "../../../lib/k8s/map";
import { type EpochMs, dayMs, minuteMs } from "../../../lib/k8s/time";
import { type HpaKey, keyNamed } from "../../../lib/model/hpa-key";
import type { RosterHpa } from "../../../lib/model/stored/history";
import { decisionsSince } from "../../../lib/read/decisions";
import { type HpaSeries, bucketsOf, readSeries } from "../../../lib/read/history";
import { createdAtOf, readHpaFacts, type HpaFacts } from "../../../lib/read/hpa-facts";
import type { CliEnvironment } from "../../shell/environment";
import { failure } from "../../shell/failure";
import { addGlobalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { missingLines } from "../../shell/input/find";
import { parseTargets } from "../../shell/input/parse-targets";
import { alignFor } from "../../shell/print/fit-columns";
import { formatTable } from "../../shell/print/get-row";
import { localTimes } from "../../shell/print/times";
import { toJson } from "../../shell/print/to-json";
import { type Session, withSession } from "../../shell/session";
import { MomentError, pastMoment } from "../explain/explain-hpa";
import { besides, historyChart } from "./chart";
import { csvOf, forPeople, forSpreadsheets, pointJson, historyTable } from "./rows";

interface HistoryOptions {
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly output?: "wide" | "json" | "csv";
}

interface Period {
  readonly since: EpochMs;
  readonly until: EpochMs;
}

const columnsWithoutTerminal = 80;
const mostColumns = 160;

export function historyCommand(environment: CliEnvironment): Command {
  const command = new Command("history")
    .summary("Draw what an HPA read, wanted and had.")
    .description(
      "Draw an HPA's replicas and metrics over time, with what held its size back. The table has one sample a minute, for " +
        "the deployment's historyDays. Where nothing is known, nothing is drawn.",
    )
    .argument("<hpa | hpa/NAME>")
    .argument("[NAME]")
    .option("--since <time>", "from a time until now: 6h (ago), 2d, 03:00 or RFC 3339 (default: 1h)")
    .addOption(new Option("--from <time>", "the first moment").conflicts("since"))
    .addOption(new Option("--to <time>", "the last moment (default: now)").conflicts("since"))
    .addOption(
      new Option("-o, --output <format>", "each change: as a table, as data, or for a spreadsheet").choices([
        "wide",
        "json",
        "csv",
      ]),
    )
    .addHelpText(
      "after",
      examples([
        ["The last hour", "ebb history hpa orders -n shop"],
        ["The last two weeks", "ebb history hpa orders -n shop --since 14d"],
        ["One night, each change", "ebb history hpa orders -n shop --from 22:00 --to 06:00 -o wide"],
        ["For a spreadsheet", "ebb history hpa/orders -n shop --since 1d -o csv > orders.csv"],
      ]),
    );
  return addGlobalOptions(command).action(
    (what: string, name: string | undefined, options: HistoryOptions, self: Command) =>
      withSession(environment, self, async (session) => {
        const [query, ...others] = parseTargets(name === undefined ? [what] : [what, name], "history");
        const [asked, ...more] = query?.names ?? [];
        if (query?.resource.name !== "hpa" || asked === undefined || others.length + more.length > 0)
          throw failure("history draws one HPA: expected hpa NAME, as in `ebb history hpa orders`");
        await printHistory(session, asked, options);
      }),
  );
}

async function printHistory(session: Session, name: string, options: HistoryOptions): Promise<void> {
  const { store, table, signal, now, out, settings } = session;
  const { namespace } = settings;
  const cluster = await session.cluster();
  const period = periodOf(options, now());
  const key = keyNamed(namespace, name);
  const subject = { cluster, namespace, name };
  const facts = await readHpaFacts(store, subject, signal);
  const query = { cluster, key, ...period, ...present({ created: facts && createdAtOf(facts) }) };
  const reading = readSeries({ store, history: openHistoryReader(table, now) }, query, signal);
  const series = await out.during("reading the history", reading);
  if (series.points.every(({ sample }) => sample === null)) throw await nothing(session, subject, { facts, series });
  const { output } = options;
  if (output === "json")
    return out.write(
      toJson({ cluster, namespace, name, ...periodJson(period, series), points: series.points.map(pointJson) }, out),
    );
  const spec = lastSpec(series);
  if (output === "csv") return out.write(csvOf(historyTable(series, spec.metrics, forSpreadsheets)));
  const times = localTimes(now());
  if (output === "wide") {
    const { columns, rows } = historyTable(
      series,
      spec.metrics,
      forPeople((at) => times.moment(at)),
    );
    const heads = columns.map((column) => column.toUpperCase());
    out.write(formatTable(heads, rows, alignFor(undefined)));
  } else await draw(session, { key, cluster, period, series, spec });
  if (series.until < period.until - 2 * minuteMs) out.note(`Nothing is known after ${times.moment(series.until)}.`);
}

interface Drawing {
  readonly key: HpaKey;
  readonly cluster: string;
  readonly period: Period;
  readonly series: HpaSeries;
  readonly spec: Pick<RosterHpa, "metrics" | "maxReplicas">;
}

async function draw({ store, signal, now, out }: Session, { key, cluster, period, series, spec }: Drawing) {
  const { since, until } = period;
  const count = Math.min(mostColumns, out.terminal?.columns ?? columnsWithoutTerminal) - besides;
  if (count < 20) throw failure("the terminal is too narrow for a chart: expected 32 columns, or -o wide");
  const decisions = await decisionsSince(store, { cluster, key, since }, signal);
  const scalings = decisions.filter(({ scaleTo, at }) => scaleTo !== null && at < until).map(({ at }) => at);
  const buckets = bucketsOf(series, { since, until, count });
  const times = localTimes(now());
  const clock = new Intl.DateTimeFormat(
    "en-GB",
    until - since > 2 * dayMs ? { day: "numeric", month: "short" } : hours,
  );
  const column = Math.round((until - since) / count / 1_000);
  out.print(`${key}, ${times.moment(since)} to ${times.moment(until)}; a column is ${column} s, and shows its highest`);
  const { metrics, maxReplicas } = spec;
  out.write(
    `\n${historyChart({ buckets, metrics, maxReplicas, scalings, since, until, clock: (at) => clock.format(at) })}`,
  );
}

const hours = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

function periodOf({ since, from, to }: HistoryOptions, now: EpochMs): Period {
  const until = to === undefined ? now : moment("--to", to, now);
  const start = moment(from === undefined ? "--since" : "--from", from ?? since ?? "1h", now);
  const isClock = from !== undefined && /^\d{1,2}:/.test(from);
  const first = isClock && start >= until ? start - dayMs : start;
  if (first < until) return { since: first, until: Math.min(until, now) };
  throw failure(
    `expected a time that begins before it ends, got ${new Date(start).toISOString()} to ${new Date(until).toISOString()}`,
  );
}

function moment(flag: string, text: string, now: EpochMs): EpochMs {
  try {
    return pastMoment(text, now);
  } catch (error) {
    if (error instanceof MomentError) throw failure(`${flag}: ${error.message}`);
    throw error;
  }
}

function lastSpec({ points }: HpaSeries): Pick<RosterHpa, "metrics" | "maxReplicas"> {
  return points.findLast(({ spec }) => spec !== undefined)?.spec ?? { metrics: [], maxReplicas: 0 };
}

function periodJson({ since, until }: Period, series: HpaSeries): object {
  const text = (at: EpochMs) => new Date(at).toISOString();
  return { since: text(since), until: text(until), knownUntil: text(series.until) };
}

interface Unknown {
  readonly facts: HpaFacts | undefined;
  readonly series: HpaSeries;
}

async function nothing(
  session: Session,
  { cluster, namespace, name }: { readonly cluster: string; readonly namespace: string; readonly name: string },
  { facts, series }: Unknown,
) {
  if (facts === undefined) {
    const place = { resource: "hpa", clusters: [cluster], namespace } as const;
    return failure((await missingLines(session, place, [name])).join("\n"));
  }
  if (!series.isKept)
    return failure(
      "the table keeps no history: expected a deployment with historyDays above 0, of this version of ebb or newer",
    );
  return failure(`nothing is known of ${namespace}/${name} in this time: an hour ago or earlier? (--since 1d)`);
}
