import { billOfSlots } from "./bill-of-slots";
import { type Line, many, number, same, slower, priceOfRead, pollerKnob, money } from "./line";
import { type Load, type Plan, shardsOf, slotsOf, sumOf, monthlyReads, type MonthlyReads } from "./plan";
import { monthSeconds, prices, defaultWatchBudget } from "../../../lib/model/prices";

export function billOf(plan: Plan): readonly Line[] {
  const lines = [...sourceLines(plan), ...billOfSlots(plan), ...billOfDeployment(plan)];
  return lines.filter(({ moving }) => moving > 0).toSorted((a, b) => b.moving - a.moving);
}

export function totalOf(lines: readonly Line[], load: Load, only: (line: Line) => boolean = () => true): number {
  return lines.filter(only).reduce((sum, line) => sum + line[load], 0);
}

function sourceLines(plan: Plan): readonly Line[] {
  return monthlyReads(plan).map((read) => {
    const { amount, ...line } = costOfReads(read, read.times);
    const what = `read ${read.source}: ${atLeast(read)}${many(read.count, read.what)}`;
    return { ...same(amount), what, ...line };
  });
}

export function costOfReads(read: Omit<MonthlyReads, "times">, times: number) {
  const { each, arithmetic } = priceOfRead[read.unit];
  return {
    amount: times * each,
    arithmetic: `${atLeast(read)}${number(times)} ${arithmetic()}`,
    knob: read.loweredBy ?? slower,
    readsSources: true as const,
  };
}

function atLeast({ isLeast }: Pick<MonthlyReads, "isLeast">): string {
  return isLeast === true ? "at least " : "";
}

/** Lambda keeps five requests open at a queue, of 20 s each. */
const pollSeconds = 20 / 5;

const gbOfLog = 1.2e-6;

const init = { seconds: 0.25, everySeconds: 7_200 } as const;

const tick = { memoryGb: 0.25, seconds: 0.5, everySeconds: 60 } as const;

/** In serverless.yml and infra/: `test/cli/cost.test.ts` counts them there. */
export const deployed = { customMetrics: 12, alarmMetrics: 10 } as const;

function billOfDeployment(plan: Plan): readonly Line[] {
  return [ticks(), polling(), pollers(plan), logs(plan), inits(plan), watching(), zeroScalePoller(plan)];
}

function ticks(): Line {
  const runs = monthSeconds / tick.everySeconds;
  const gbSeconds = runs * tick.seconds * tick.memoryGb;
  return {
    ...same(gbSeconds * prices.lambda.gbSecond + runs * (prices.lambda.request + prices.scheduler.invocation)),
    what: "run tick",
    arithmetic: `${number(gbSeconds)} GB-seconds × ${prices.lambda.gbSecond} and ${number(runs)} invocations`,
    knob: "one deployment for all clusters",
  };
}

function polling(): Line {
  const requests = monthSeconds / pollSeconds;
  return {
    ...same(requests * prices.sqs.request),
    what: "Lambda polls the slot queue",
    arithmetic: `${number(requests)} requests × ${money(prices.sqs.request * 1e6)} a million`,
    knob: "one deployment for all clusters",
  };
}

function pollers({ syncPollers = 0 }: Plan): Line {
  const hours = (syncPollers * monthSeconds) / 3_600;
  return {
    ...same(hours * prices.lambda.pollerHour),
    what: `keep ${many(syncPollers, "poller")} of the slot queue`,
    arithmetic: `${number(hours)} hours × $${prices.lambda.pollerHour}, and more while more are needed`,
    knob: "the param syncPollers",
  };
}

function logs(plan: Plan): Line {
  const invocations = sumOf(plan, (cluster) => shardsOf(cluster) * slotsOf(cluster)) + monthSeconds / tick.everySeconds;
  const gb = invocations * gbOfLog;
  return {
    ...same(gb * prices.cloudwatch.logGb),
    what: "logs",
    arithmetic: `${gb.toFixed(2)} GB × ${money(prices.cloudwatch.logGb)}`,
    knob: slower,
  };
}

function inits(plan: Plan): Line {
  const gb = plan.syncMemory / 1024 + tick.memoryGb;
  const gbSeconds = (monthSeconds / init.everySeconds) * init.seconds * gb;
  return {
    ...same(gbSeconds * prices.lambda.gbSecond),
    what: "start functions (INIT)",
    arithmetic: `${number(gbSeconds)} GB-seconds × ${prices.lambda.gbSecond}`,
    knob: "one deployment for all clusters",
  };
}

const poller = { memoryGb: 0.25 } as const;

/** Every second, or as often as its budget allows. */
function zeroScalePoller({ watched = 0 }: Plan): Line {
  const running = monthSeconds * poller.memoryGb * prices.lambda.gbSecond;
  const ofQueues = watched * monthSeconds * prices.sqs.request;
  const isLimited = running + ofQueues > defaultWatchBudget;
  const arithmetic = `${number(monthSeconds * poller.memoryGb)} GB-seconds and ${number(watched * monthSeconds)} requests every second`;
  return {
    ...same(watched === 0 ? 0 : Math.min(running + ofQueues, defaultWatchBudget)),
    what: `watch ${many(watched, "queue")} at zero`,
    arithmetic: isLimited ? `${arithmetic}, slowed down to watchBudget ${defaultWatchBudget}` : arithmetic,
    knob: pollerKnob,
  };
}

function watching(): Line {
  const { customMetric, alarmMetric } = prices.cloudwatch;
  return {
    ...same(deployed.customMetrics * customMetric + deployed.alarmMetrics * alarmMetric),
    what: "ebb's own metrics and alarms",
    arithmetic: `${deployed.customMetrics} metrics × ${money(customMetric)} and ${deployed.alarmMetrics} metrics of alarms × ${money(alarmMetric)}`,
    knob: "POWERTOOLS_METRICS_DISABLED=true",
  };
}
