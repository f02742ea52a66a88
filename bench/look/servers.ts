import { get } from "node:http";
import { serveDashboard } from "../../cli/look/dashboard/serve";
import { serveMetrics } from "../../cli/look/metrics/serve-metrics";
import { openHistoryReader, storeOn } from "../../compose";
import { pause } from "../../lib/async/within-time";
import { readFleet } from "../../lib/read/fleet";
import { dynamoClient } from "../../lib/table/client";
import { openEntries } from "../../lib/table/entries";
import type { Table } from "../../lib/table/reads";
import { plainCaller } from "../../test/cli/advice/plain-caller";
import { table as tableName } from "../harness/aws-backend";
import { type Backends, serveAsks, startBackend } from "../harness/backend-process";
import { access } from "../harness/deployment";
import { now } from "./recorded-table";

/** What `ebb metrics --port` and `ebb dashboard` serve, each in a process of its own. */
const endpointVariable = "EBB_BENCH_TABLE";
const token = "bench";

export interface Served {
  readonly url: string;
  readonly pid: number;
}

export function tableAt(endpoint: string): Table {
  return { client: dynamoClient({ ...access, endpoint }), name: tableName };
}

function opened() {
  const table = tableAt(process.env[endpointVariable] ?? "");
  return { table, store: storeOn(table, { now: () => now }), history: openHistoryReader(table, () => now) };
}

export const servers: Backends = {
  async metrics() {
    const { store, history } = opened();
    const fleet = (signal: AbortSignal) => readFleet({ store, history }, now, signal);
    const { url } = await serveMetrics({ fleet, now: () => now, token, port: 0 });
    serveAsks({ url, pid: process.pid } satisfies Served, () => null);
  },
  async dashboard() {
    const { table, store, history } = opened();
    const context = { store, history, pause, now: () => now, entries: openEntries(table) };
    const callerFor = () => Promise.resolve(plainCaller);
    const rest = { callerFor, files: {}, port: 0, isPaid: false, dollarsPerHour: 0.04 };
    const { url } = await serveDashboard({ ...context, ...rest });
    serveAsks({ url, pid: process.pid } satisfies Served, () => null);
  },
};

export async function withServer<T>(
  name: "metrics" | "dashboard",
  endpoint: string,
  use: (served: Served) => Promise<T>,
): Promise<T> {
  process.env[endpointVariable] = endpoint;
  const { started, stop } = await startBackend<string, Served>(name);
  try {
    return await use(started);
  } finally {
    await stop();
  }
}

/** Zipped, as Prometheus asks for it. @returns its bytes */
export function scrape(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip" };
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      let bytes = 0;
      if (response.statusCode !== 200) reject(new Error(`expected a scrape, got status ${response.statusCode}`));
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve(bytes));
      response.on("error", reject);
    }).on("error", reject);
  });
}
