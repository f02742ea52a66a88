import { openCloudWatch } from "../../../compose";
import { Command, Option } from "commander";
import { formatTable } from "../../shell/print/get-row";
import { toJson } from "../../shell/print/to-json";
import { prices } from "../../../lib/model/prices";
import { spendingIn } from "../../../lib/poller/lease";
import { connectionsFrom } from "../../shell/connect/connections";
import { failure } from "../../shell/failure";
import { addGlobalOptions, globalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { openOutput, type Output } from "../../shell/output";
import { alignFor } from "../../shell/print/fit-columns";
import { type Session, withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";
import { billOf } from "./bill";
import { kedaCosts, whenKedaIsCheaper } from "./keda";
import { billOfCounts, countedThisMonth } from "./month";
import { type Line, many, totalOf } from "./line";
import { hpasOf, type Plan } from "./plan";
import { planOfTable, plannedBy, type PlanOptions, numberOfFlag } from "./plan-of-table";

interface Options extends PlanOptions {
  readonly thisMonth?: boolean;
  readonly syncMemory: string;
  readonly syncPollers?: string;
  readonly notify?: boolean;
  readonly metrics?: boolean;
  readonly output?: "wide" | "json";
}

const notes = `
AT REST: no metric changes. MOVING: the values of every HPA change all the time.
"at least": only SQS knows how many queues have a queuePrefix, and CloudWatch what a
SEARCH finds. For a number of your own: --hpas NUMBER --sources sqs=NUMBER.
Not counted: data transfer, a NAT gateway (subnetIds), secrets, storage, samples that
Amazon Managed Service for Prometheus processes, and what free tiers and discounts save.`;

export function costCommand(environment: CliEnvironment): Command {
  const command = new Command("cost")
    .summary("Estimate what ebb costs a month, or what it has cost this month.")
    .description(
      "Estimate what ebb costs at AWS's list prices, for the entries of the table or for numbers of your own: the largest driver first, with what lowers it.",
    )
    .option("--hpas <number>", "so many HPAs, instead of those in the table")
    .option("--clusters <number>", "in so many clusters (default: 1)")
    .option("--period <seconds>", "the sync period (default: 15)")
    .option(
      "--sources <kind=number>",
      "distinct metrics by kind, such as sqs=1000,cloudwatch=20 (default: a queue for each HPA)",
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option("--watched <number>", "queues of HPAs at zero with ebb.dev/wake: fast, all the time")
    .option("--this-month", "what the deployment has cost since the 1st (UTC), from CloudWatch's counts")
    .option("--sync-memory <MB>", "syncMemory of the deployment", "512")
    .option("--sync-pollers <number>", "the minimum of its syncPollers (default: none)")
    .option("--notify", "with notifications (its notifyArn)")
    .option("--metrics", "with a scrape of its metrics a minute (its metricsTokenArn)")
    .addOption(new Option("-o, --output <format>", "wide (with the arithmetic) or json").choices(["wide", "json"]))
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples([
        ["What the entries of this table cost", "ebb cost"],
        ["1,000 HPAs with a queue each, in 5 clusters", "ebb cost --hpas 1000 --clusters 5"],
        ["The arithmetic of every line", "ebb cost --hpas 1000 --sources sqs=1000,cloudwatch=20 -o wide"],
        ["With 10 queues that are read every second while their HPAs are at zero", "ebb cost --hpas 100 --watched 10"],
        ["What the deployment has cost so far", "ebb cost --this-month --table ebb-prod"],
      ]),
    );
  return addGlobalOptions(command).action(async (options: Options, self: Command) => {
    const syncMemory = numberOfFlag("--sync-memory", options.syncMemory, 128, 10_240);
    const described = (["hpas", "clusters", "period", "sources", "watched"] as const).filter(
      (flag) => options[flag] !== undefined,
    );
    if (options.thisMonth === true) {
      const planned = [
        ...described,
        ...(options.syncPollers === undefined ? [] : ["sync-pollers"]),
        ...(["notify", "metrics"] as const).filter((flag) => options[flag] === true),
      ];
      if (planned.length > 0) throw failure(`--this-month counts what was: leave out --${planned.join(", --")}`);
      return await withSession(environment, self, (session) => printMonth(session, syncMemory, options.output));
    }
    const { notify = false, metrics = false } = options;
    const optional = { ...pollersIn(options), ...(notify && { notify }), ...(metrics && { metrics }) };
    if (described.length > 0) {
      const out = openOutput(environment, globalOptions(self).color);
      return printEstimate(out, { ...plannedBy(options, syncMemory), ...optional }, options.output);
    }
    await withSession(environment, self, async (session) => {
      const plan = await session.out.during("reading the table", planOfTable(session, syncMemory));
      if (hpasOf(plan) === 0)
        throw failure("the table has no HPA that can be synced: describe what you plan, as in `ebb cost --hpas 100`");
      printEstimate(session.out, { ...plan, ...optional }, options.output);
    });
  });
}

function pollersIn({ syncPollers }: Options): Pick<Plan, "syncPollers"> {
  return syncPollers === undefined ? {} : { syncPollers: numberOfFlag("--sync-pollers", syncPollers, 2, 200) };
}

function printEstimate(out: Output, plan: Plan, output: Options["output"]): void {
  const lines = billOf(plan);
  const keda = kedaCosts(plan);
  const ours = ({ readsSources }: Line) => readsSources !== true;
  const perHpa = (load: "atRest" | "moving") => totalOf(lines, load, ours) / hpasOf(plan);
  const total = { atRest: totalOf(lines, "atRest"), moving: totalOf(lines, "moving") };
  if (output === "json") {
    const perHpaWithoutReadingSources = { atRest: perHpa("atRest"), moving: perHpa("moving") };
    const { region, of } = prices;
    const data = { currency: "USD", per: "month", region, prices: of, plan };
    return out.write(toJson({ ...data, lines, total, perHpaWithoutReadingSources, keda }, out));
  }
  const each = { what: "each HPA, without reading sources", atRest: perHpa("atRest"), moving: perHpa("moving") };
  const rows: readonly Row[] = [
    ...lines,
    { what: "total", ...total },
    ...(hpasOf(plan) === 1 ? [] : [each]),
    ...keda.map(({ when: _when, ...cost }) => cost),
  ];
  printTable(out, ["$ A MONTH", "AT REST", "MOVING"], rows, output);
  out.note(`${describe(plan)}; list prices of ${prices.region}, ${prices.of}`);
  out.note(whenKedaIsCheaper(total, keda));
}

type Row = Pick<Line, "what" | "moving"> & Partial<Line>;

/** The costs in the columns between the first and "LOWERED BY". */
function printTable(out: Output, columns: readonly string[], rows: readonly Row[], output: Options["output"]): void {
  const wide = output === "wide";
  const cells = rows.map(({ what, atRest = 0, moving, knob = "", arithmetic = "" }) => [
    what,
    ...(columns.length === 3 ? [dollars(atRest)] : []),
    ...[dollars(moving), knob, ...(wide ? [arithmetic] : [])],
  ]);
  const titles = [...columns, "LOWERED BY", ...(wide ? ["ARITHMETIC"] : [])];
  out.write(formatTable(titles, cells, alignFor(wide ? undefined : out.terminal)));
}

async function printMonth(session: Session, syncMemory: number, output: Options["output"]): Promise<void> {
  const { settings, store, signal, now, out } = session;
  const { table: deployment } = settings;
  if (deployment === undefined)
    throw failure("--this-month needs a deployment: CloudWatch counts nothing of a table on this machine (--table)");
  const plan = await planOfTable(session, syncMemory);
  const connections = await connectionsFrom(settings, now);
  try {
    const asked = countedThisMonth(await openCloudWatch(connections.clients), { deployment, now: now(), signal });
    const [counts, lease] = await out.during("reading CloudWatch", Promise.all([asked, store.pollerLease(signal)]));
    const counted = { ...counts, watched: spendingIn(now(), lease?.spending).spent };
    const lines = billOfCounts(counted, plan);
    const total = totalOf(lines, "moving");
    if (output === "json")
      return out.write(toJson({ currency: "USD", since: monthStart(now()), counted, lines, total }, out));
    printTable(out, ["$ SO FAR", "SPENT"], [...lines, { what: "total", moving: total }], output);
    out.note(
      `since ${monthStart(now())}, list prices of ${prices.region}, ${prices.of}; without ebb's own metrics and alarms`,
    );
  } finally {
    connections.close();
  }
}

function monthStart(now: number): string {
  return `${new Date(now).toISOString().slice(0, 7)}-01`;
}

function describe(plan: Plan): string {
  const { clusters } = plan;
  const periods = [...new Set(clusters.map(({ periodSeconds }) => periodSeconds))].sort((a, b) => a - b);
  return `${many(hpasOf(plan), "HPA")} in ${many(clusters.length, "cluster")}, every ${periods.join(" or ")} s`;
}

function dollars(amount: number): string {
  const digits = amount > 0 && amount < 1 ? 3 : 2;
  return amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
