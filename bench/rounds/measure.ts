import type { ApiServer } from "../../test/e2e/servers/api-server";
import type { Side } from "../harness/fleet";
import { cpuMs, processOf } from "../harness/processes";

/** What one round took. */
export interface Measured {
  readonly ms: number;
  /** Milliseconds of CPU time: the controller's own, and the API server's meanwhile. */
  readonly cpu: { readonly own: number; readonly apiServer: number };
  /** HPAs that it did not come to. */
  readonly missed: number;
  /** To the API server. */
  readonly requests: Readonly<Record<string, number>>;
}

export async function measure(apiServer: ApiServer, side: Pick<Side, "pid" | "round">): Promise<Measured> {
  const before = await apiRequests(apiServer);
  const cpuLog = startCpuLog({ own: side.pid, apiServer: processOf("kube-apiserver") });
  try {
    const { from, to, passedOn, missed = 0 } = await side.round();
    const { own = NaN, apiServer: apiServerMs = NaN } = await cpuLog.between(from, to);
    const requests = requestsSince(before, { ...(await apiRequests(apiServer)), ...passedOn });
    return { ms: to - from, cpu: { own, apiServer: apiServerMs }, missed, requests };
  } finally {
    cpuLog.stop();
  }
}

/** Requests that the API server has answered so far, as its own metric counts them: "GET deployments/scale". */
type ApiRequests = Readonly<Record<string, number>>;

/**
 * What neither controller asks for: the API server's own housekeeping (it collects the OpenAPI of aggregated APIs every
 * second or so), and the bench's reading of the metric.
 */
const housekeeping =
  /^$|^(openapi|leases|endpointslices|endpoints|configmaps|namespaces|services|apiservices|nodes)(\/|$)/;

async function apiRequests({ admin }: ApiServer): Promise<ApiRequests> {
  const text = await admin.get<string>("/metrics");
  const counts: Record<string, number> = {};
  for (const [, labels = "", value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const resource = [label("resource"), label("subresource")].filter((part) => part !== "").join("/");
    if (label("verb") === "WATCH" || housekeeping.test(resource)) continue;
    const name = `${label("verb")} ${resource}`;
    counts[name] = (counts[name] ?? 0) + Number(value);
  }
  return counts;
}

function requestsSince(before: ApiRequests, after: ApiRequests): ApiRequests {
  const names = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0));
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
}

export const total = (counts: ApiRequests) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** CPU time of some processes over time, so that a round can be cut out of it once it is over. */
interface CpuLog {
  /** Milliseconds of each process from just before `from` to just after `to`, both of `performance.now()`. */
  between(from: number, to: number): Promise<Readonly<Record<string, number>>>;
  stop(): void;
}

const everyMs = 50;
/** A process that answers last works a little longer. The same for both sides. */
const afterMs = 300;

function startCpuLog(pids: Readonly<Record<string, number>>): CpuLog {
  const samples: { readonly at: number; readonly cpu: Readonly<Record<string, number>> }[] = [];
  const sample = () => {
    const cpu = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
    samples.push({ at: performance.now(), cpu });
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    async between(from, to) {
      while (performance.now() < to + afterMs + everyMs) await new Promise((done) => setTimeout(done, everyMs));
      const before = samples.findLast(({ at }) => at <= from) ?? samples[0];
      const after = samples.find(({ at }) => at >= to + afterMs) ?? samples.at(-1);
      return Object.fromEntries(
        Object.keys(pids).map((name) => [name, (after?.cpu[name] ?? NaN) - (before?.cpu[name] ?? NaN)]),
      );
    },
    stop: () => clearInterval(timer),
  };
}
