import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { parse } from "yaml";
import { openStore } from "../../lib/table/store";
import { dynamoClient } from "../../lib/table/client";
import { startFunction } from "../../test/e2e/servers/functions";
import { peakMemory } from "../../test/small-heap/peak-memory";
import type { BackendProcess } from "../rounds/backend-process";
import { cpuMs, processOf } from "../rounds/processes";
import type { Ask, Counted } from "./backend";
import { clusterName, clusters, hpasEach, rangeOf, shardsEach } from "./table-of-hpas";

export type Backend = BackendProcess<Ask, string>;

/** What a wake took from the request to its last message. */
export interface Measured extends Pick<Counted, "requests" | "kilobytes" | "woken"> {
  readonly wallMs: number;
  readonly workedMs: number;
  /** The process, from its start to its end. */
  readonly megabytes: number;
  /** Until it had looked through everything, and sent nothing more. */
  readonly allMs: number;
}

const region = "eu-central-1";
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };

/** By the packaged function with the memory and the options that serverless.yml gives it. */
export async function measureWake(far: Backend, event: unknown): Promise<Measured> {
  const wake = startFunction("wake", {
    ...settings(),
    TABLE_NAME: "ebb",
    QUEUE_URL: `${far.started}/000000000000/slots`,
    AWS_ENDPOINT_URL: far.started,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    POWERTOOLS_SERVICE_NAME: "ebb",
    POWERTOOLS_METRICS_NAMESPACE: "ebb",
  });
  try {
    // The process starts, and connects.
    await wake.invoke({ queue: "nobody-reads-this", cluster: "nobody" }).catch(() => undefined);
    const pid = processOf("function-host.mjs");
    await far.ask({ count: pid });
    const [cpuBefore, before, begin] = [cpuMs(pid), performance.now(), Date.now()];
    await wake.invoke(event);
    const allMs = performance.now() - before;
    const { sentAt, cpuMs: cpuSent, ...counted } = (await far.ask({ count: undefined })) as Counted;
    return { ...counted, wallMs: sentAt - begin, workedMs: cpuSent - cpuBefore, allMs, megabytes: peakMemory(pid) };
  } finally {
    await wake.stop();
  }
}

interface WakeSettings {
  readonly provider: unknown;
  readonly params: { readonly default: { readonly wakeMemory: number } };
  readonly functions: { readonly wake: { readonly environment?: Readonly<Record<string, string>> } };
}

function settings(): Readonly<Record<string, string>> {
  // Its tags are CloudFormation's, which yaml would warn of.
  const stack = parse(readFileSync("serverless.yml", "utf8"), { logLevel: "error" }) as WakeSettings;
  const memory = String(stack.params.default.wakeMemory);
  return { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory, ...stack.functions.wake.environment };
}

/** What all others are compared with: the CPU time of this process for loading all entries, as a wake did once. */
export async function measureLoad({ started: endpoint }: Backend): Promise<number> {
  const store = openStore({ client: dynamoClient({ endpoint, region, credentials }), table: "ebb", now: () => 1 });
  const before = process.cpuUsage();
  for (let at = 0; at < clusters; at++)
    for (let shard = 0; shard < shardsEach; shard++) {
      const { hpas } = await store.load(rangeOf(clusterName(at), shard), AbortSignal.timeout(60_000));
      if (hpas.length !== hpasEach) throw new Error(`expected ${hpasEach} HPAs in each shard, got ${hpas.length}`);
    }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
