import type { ApiServer } from "../../test/e2e/servers/api-server";
import { apiRequests, requestsSince } from "./api-requests";
import { startCpuLog } from "./cpu-log";
import { processOf } from "./processes";
import type { Side } from "./side";

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
