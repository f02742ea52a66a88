import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { dynamoClient } from "../lib/table/client";
import { openStore } from "../lib/table/store";
import { startFunction } from "../test/e2e/servers/functions";
import { peakMemory } from "../test/small-heap/peak-memory";
import { type AwsBackend, awsBackend, environmentOf, serveAws, startAwsBackend, table } from "./harness/aws-backend";
import { runBench } from "./harness/backend-process";
import { access } from "./harness/deployment";
import { cpuMs, processOf } from "./harness/processes";
import { measureUntil, writeReport } from "./harness/report";
import {
  clusterName,
  clusters,
  hpasEach,
  itemsOf,
  rangeOf,
  type Setting,
  shardsEach,
  sharing,
} from "./wake/table-of-hpas";

/**
 * A wake for a queue, by the packaged function, over a table of 100,000 HPAs in 100 shards of ten clusters. The table
 * and SQS answer from the memory of another process. 256 MB of Lambda are a seventh of a vCPU: what a wake works here
 * takes seven times as long there.
 */
const share = 256 / 1_769;
/** Machines differ, so a wake that takes longer fails nothing. `most.share` of another time of the same run does. */
const targetSeconds = 2;
const mostMegabytes = 128;
const runs = 3;
const settingVariable = "EBB_BENCH_SETTING";

interface Case {
  readonly label: string;
  readonly setting: Setting;
  readonly event: unknown;
  /** HPAs that it wakes. */
  readonly woken: number;
  /** `share`: of the CPU time that loading all entries takes. */
  readonly most: { readonly share: number; readonly requests: number; readonly kilobytes: number };
}

const one = { queue: "c3-7123" };
const ofOne = { event: one, woken: 1 };
const few = { share: 0.05, requests: 16, kilobytes: 700 };
const repeated = { Records: Array.from({ length: 300 }, () => ({ Sns: { Message: JSON.stringify(one) } })) };
const shared = { event: { queue: "shared" }, woken: sharing };

const cases: readonly Case[] = [
  { ...ofOne, label: "one HPA", setting: "indexed", most: few },
  {
    ...{ ...shared, label: `${sharing} HPAs over all shards`, setting: "indexed" },
    most: { share: 0.12, requests: 120, kilobytes: 2_500 },
  },
  { ...ofOne, label: "300 equal requests by SNS", setting: "indexed", event: repeated, most: few },
  {
    ...{ ...ofOne, label: "one HPA, before any index is written", setting: "unindexed" },
    most: { share: 0.1, requests: 100, kilobytes: 50 },
  },
  {
    ...{ ...ofOne, label: "one HPA beside 250 MB of one team's entries", setting: "hostile" },
    most: { share: 0.05, requests: 500, kilobytes: 300_000 },
  },
];

type Measured = Awaited<ReturnType<typeof measureWake>>;

/** By the packaged function with the memory and the options that serverless.yml gives it, to its last message. */
async function measureWake(aws: AwsBackend, event: unknown) {
  const wake = startFunction("wake", { ...settings(aws.endpoint), POWERTOOLS_SERVICE_NAME: "ebb" });
  try {
    // The process starts, and connects.
    await wake.invoke({ queue: "nobody-reads-this", cluster: "nobody" }).catch(() => undefined);
    const pid = processOf("function-host.mjs");
    await aws.count(pid);
    const [cpuBefore, before, begin] = [cpuMs(pid), performance.now(), Date.now()];
    await wake.invoke(event);
    // Until it had looked through everything, and sent nothing more.
    const allMs = performance.now() - before;
    const { sentAt, cpuMs: cpuSent, ...counted } = await aws.count();
    return { ...counted, wallMs: sentAt - begin, workedMs: cpuSent - cpuBefore, allMs, megabytes: peakMemory(pid) };
  } finally {
    await wake.stop();
  }
}

interface Stack {
  readonly params: { readonly default: { readonly wakeMemory: number } };
  readonly functions: { readonly wake: { readonly environment?: Readonly<Record<string, string>> } };
}

function settings(endpoint: string): Readonly<Record<string, string>> {
  // Its tags are CloudFormation's, which yaml would warn of.
  const stack = parse(readFileSync("serverless.yml", "utf8"), { logLevel: "error" }) as Stack;
  return { ...environmentOf(endpoint, stack.params.default.wakeMemory), ...stack.functions.wake.environment };
}

/** What all others are compared with: the CPU time of this process for loading all entries, as a wake did once. */
async function measureLoad({ endpoint }: AwsBackend): Promise<number> {
  const store = openStore({ client: dynamoClient({ ...access, endpoint }), table, now: () => 1 });
  const before = process.cpuUsage();
  for (let at = 0; at < clusters; at++)
    for (let shard = 0; shard < shardsEach; shard++) {
      const { hpas } = await store.load(rangeOf(clusterName(at), shard), AbortSignal.timeout(60_000));
      if (hpas.length !== hpasEach) throw new Error(`expected ${hpasEach} HPAs in each shard, got ${hpas.length}`);
    }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function problemsOf({ woken, most }: Case, measured: Measured, loadMs: number): readonly string[] {
  const figures = [
    ["HPAs woken", measured.woken === woken, measured.woken, woken],
    ["requests", measured.requests <= most.requests, measured.requests, most.requests],
    ["KB from the table", measured.kilobytes <= most.kilobytes, Math.round(measured.kilobytes), most.kilobytes],
    ["MB", measured.megabytes <= mostMegabytes, measured.megabytes, mostMegabytes],
    ["ms of CPU", measured.workedMs <= most.share * loadMs, measured.workedMs, Math.round(most.share * loadMs)],
  ] as const;
  return figures.filter(([, isMet]) => !isMet).map(([what, , got, limit]) => `${got} ${what} instead of ${limit}`);
}

async function judgeCase(each: Case, aws: AwsBackend, loadMs: number): Promise<object> {
  const measureOnce = async () => {
    const measured = await measureWake(aws, each.event);
    const { wallMs, workedMs, allMs, megabytes, requests, kilobytes, woken } = measured;
    const seconds = Math.max(wallMs, workedMs / share) / 1_000;
    const problems = problemsOf(each, measured, loadMs);
    console.log(
      `${each.label}: ${woken} woken after ${wallMs} ms here, ${workedMs} ms of CPU (${(workedMs / loadMs).toFixed(3)} of loading all; ${seconds.toFixed(1)} s with 256 MB: ` +
        `target ${seconds <= targetSeconds ? "met" : "missed"}), all done after ${Math.round(allMs)} ms; at most ${megabytes} MB, ${requests} requests, ${Math.round(kilobytes)} KB`,
    );
    if (problems.length > 0) console.error(`${each.label}: ${problems.join("; ")}`);
    return { ...measured, seconds, problems };
  };
  const tried = await measureUntil(runs, measureOnce, ({ problems }) => problems.length === 0);
  if (tried.at(-1)?.problems.length !== 0) process.exitCode = 1;
  return { label: each.label, tried };
}

async function main(): Promise<void> {
  const report: object[] = [];
  let loadMs: number | undefined;
  for (const setting of new Set(cases.map((each) => each.setting))) {
    process.env[settingVariable] = setting;
    const aws = await startAwsBackend();
    try {
      if (loadMs === undefined) {
        loadMs = Math.min(await measureLoad(aws), await measureLoad(aws));
        console.log(`loading all entries: ${Math.round(loadMs)} ms of CPU`);
      }
      for (const each of cases.filter((one) => one.setting === setting))
        report.push(await judgeCase(each, aws, loadMs));
    } finally {
      await aws.stop();
    }
  }
  writeReport("wake", { hpas: clusters * shardsEach * hpasEach, targetSeconds, mostMegabytes, loadMs, report });
}

runBench(main, { [awsBackend]: () => serveAws(itemsOf((process.env[settingVariable] ?? "indexed") as Setting)) });
