import { billOfSlots } from "./bill-of-slots";
import {
  costOf,
  dearestFirst,
  type Line,
  many,
  million,
  money,
  number,
  oneDeployment,
  pollerKnob,
  same,
  slower,
} from "./line";
import { hpasOf, type Plan, shardCountOf, shardSlotsOf, monthlyReads, type MonthlyReads, sumOf } from "./plan";
import { monthSeconds, prices, defaultWatchBudget } from "../../../lib/model/prices";

export function billOf(plan: Plan): readonly Line[] {
  const reads = monthlyReads(plan).map((read): Line => {
    const what = `read ${read.source}: ${atLeast(read)}${many(read.count, read.what)}`;
    return { what, ...costOfReads(read, read.times) };
  });
  return dearestFirst([...reads, ...billOfSlots(plan), ...billOfDeployment(plan)]);
}

export function costOfReads(read: Omit<MonthlyReads, "times">, times: number): Omit<Line, "what"> {
  const cost = costOf[read.unit](times);
  const arithmetic = `${atLeast(read)}${cost.arithmetic}`;
  return { ...cost, arithmetic, knob: read.loweredBy ?? slower, readsSources: true };
}

function atLeast({ isLeast }: Pick<MonthlyReads, "isLeast">): string {
  return isLeast === true ? "at least " : "";
}

/** Lambda keeps five requests open at a queue, of 20 s each. */
const pollSeconds = 20 / 5;
const gbOfLog = 1.2e-6;
const init = { seconds: 0.25, everySeconds: 7_200 } as const;
const tick = { memoryGb: 0.25, seconds: 0.5, everySeconds: 60 } as const;
const poller = { memoryGb: 0.25 } as const;
/** infra/notify.cjs: a batch of the stream waits for so long. */
const notify = { memoryGb: 0.25, seconds: 0.05, everySeconds: 60, batchSeconds: 5, alarmMetrics: 2 } as const;

/** infra/metrics.cjs: 10,000 HPAs take 0.95 s of a vCPU (2026-11-27), of which 512 MB have 0.29. */
const scrape = { memoryGb: 0.5, seconds: 0.1, secondsOfHpa: 0.00033, readsOfShard: 6, everySeconds: 60 } as const;

/** In serverless.yml and infra/: `test/cli/cost.test.ts` counts them there. */
export const deployed = { customMetrics: 12, alarmMetrics: 10 } as const;

function billOfDeployment(plan: Plan): readonly Line[] {
  const { lambda, scheduler, cloudwatch } = prices;
  const { syncPollers = 0 } = plan;
  const ticks = monthSeconds / tick.everySeconds;
  const tickSeconds = ticks * tick.seconds * tick.memoryGb;
  const tickCost = tickSeconds * lambda.gbSecond + ticks * (lambda.request + scheduler.invocation);
  const hours = (syncPollers * monthSeconds) / 3_600;
  const logGb = (shardSlotsOf(plan) + ticks) * gbOfLog;
  const starts = monthSeconds / init.everySeconds;
  const initSeconds = starts * init.seconds * (plan.syncMemory / 1024 + tick.memoryGb);
  const { customMetrics, alarmMetrics } = deployed;
  const { customMetric, alarmMetric } = cloudwatch;
  return [
    {
      what: "run tick",
      ...same(tickCost, `${number(tickSeconds)} GB-seconds × ${lambda.gbSecond} and ${number(ticks)} invocations`),
      knob: oneDeployment,
    },
    {
      what: "Lambda polls the slot queue",
      ...million(monthSeconds / pollSeconds, "requests", prices.sqs.request),
      knob: oneDeployment,
    },
    {
      what: `keep ${many(syncPollers, "poller")} of the slot queue`,
      ...same(
        hours * lambda.pollerHour,
        `${number(hours)} hours × $${lambda.pollerHour}, and more while more are needed`,
      ),
      knob: "the param syncPollers",
    },
    {
      what: "logs",
      ...same(logGb * cloudwatch.logGb, `${logGb.toFixed(2)} GB × ${money(cloudwatch.logGb)}`),
      knob: slower,
    },
    {
      what: "start functions (INIT)",
      ...same(initSeconds * lambda.gbSecond, `${number(initSeconds)} GB-seconds × ${lambda.gbSecond}`),
      knob: oneDeployment,
    },
    {
      what: "ebb's own metrics and alarms",
      ...same(
        customMetrics * customMetric + alarmMetrics * alarmMetric,
        `${customMetrics} metrics × ${money(customMetric)} and ${alarmMetrics} metrics of alarms × ${money(alarmMetric)}`,
      ),
      knob: "POWERTOOLS_METRICS_DISABLED=true",
    },
    zeroScalePoller(plan),
    notifications(plan),
    scrapesOf(plan),
  ];
}

/** While states change all the time, a batch starts every five seconds. */
function notifications({ notify: isDeployed = false }: Plan): Line {
  const { lambda, scheduler, dynamodb, cloudwatch } = prices;
  const minutes = monthSeconds / notify.everySeconds;
  const batches = monthSeconds / notify.batchSeconds;
  const run = notify.seconds * notify.memoryGb * lambda.gbSecond + lambda.request;
  const alarms = notify.alarmMetrics * cloudwatch.alarmMetric;
  const atRest = isDeployed ? minutes * (run + scheduler.invocation + 2 * dynamodb.read) + alarms : 0;
  const arithmetic = `${number(minutes)} invocations with 2 reads, at most ${number(batches)} for changes, ${notify.alarmMetrics} alarms`;
  return {
    what: "notify",
    atRest,
    moving: atRest + (isDeployed ? batches * run : 0),
    arithmetic,
    knob: "the param notifyArn",
  };
}

function scrapesOf(plan: Plan): Line {
  const { lambda, dynamodb } = prices;
  const times = plan.metrics === true ? monthSeconds / scrape.everySeconds : 0;
  const seconds = scrape.seconds + hpasOf(plan) * scrape.secondsOfHpa;
  const gbSeconds = times * seconds * scrape.memoryGb;
  const reads = times * sumOf(plan, shardCountOf) * scrape.readsOfShard;
  const amount = gbSeconds * lambda.gbSecond + times * lambda.request + reads * dynamodb.read;
  const arithmetic = `${number(times)} scrapes, one a minute: ${number(gbSeconds)} GB-seconds and ${number(reads)} reads`;
  return { what: "serve metrics", ...same(amount, arithmetic), knob: "a longer scrape_interval" };
}

/** Every second, or as often as its budget allows. */
function zeroScalePoller({ watched = 0 }: Plan): Line {
  const gbSeconds = monthSeconds * poller.memoryGb;
  const requests = watched * monthSeconds;
  const amount = gbSeconds * prices.lambda.gbSecond + requests * prices.sqs.request;
  const slowed = amount > defaultWatchBudget ? `, slowed down to watchBudget ${defaultWatchBudget}` : "";
  const arithmetic = `${number(gbSeconds)} GB-seconds and ${number(requests)} requests every second${slowed}`;
  return {
    what: `watch ${many(watched, "queue")} at zero`,
    ...same(watched === 0 ? 0 : Math.min(amount, defaultWatchBudget), arithmetic),
    knob: pollerKnob,
  };
}
