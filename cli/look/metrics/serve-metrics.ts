import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { openHistoryReader, storeOn } from "../../../compose";
import { isFault } from "../../../lib/model/fault";
import { expositionOf } from "../../../lib/read/exposition";
import { type Fleet, readFleet } from "../../../lib/read/fleet";
import { formatFor, metricsTypes, misdirected, sentenceType } from "../../../lib/read/scrape";
import { hasBearer } from "../../../lib/secrets/same-secret";
import type { Table } from "../../../lib/table/reads";
import { strangeness } from "../../../local/guard/guarded";
import { openPrivateFolder, readPrivateFile, writePrivateFile } from "../../../local/guard/private-files";
import { closeServer } from "../../../local/guard/loopback";
import { openPort } from "../../shell/open-port";

export interface MetricsContext {
  readonly fleet: (signal: AbortSignal) => Promise<Fleet>;
  readonly now: () => number;
  readonly token: string;
  readonly port: number;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

const answerLimitMs = 30_000;
const mostScrapes = 2;
/** On loopback, a tenth more bytes cost less than the CPU time of zlib's default, 6: 60 ms instead of 220 for 30 MB. */
const quickGzip = 3;
const tokenName = "metrics-token";

/** Kept: a Prometheus names the file. */
export async function openMetricsToken(folder: string): Promise<{ readonly token: string; readonly file: string }> {
  await openPrivateFolder(folder);
  const file = join(folder, tokenName);
  const known = (await readPrivateFile(folder, tokenName))?.trim() ?? "";
  if (known !== "") return { token: known, file };
  const token = randomBytes(24).toString("base64url");
  await writePrivateFile(file, `${token}\n`);
  return { token, file };
}

interface OpenedMetrics extends Pick<MetricsServer, "close"> {
  readonly line: string;
}

export async function openMetrics(
  table: Table,
  { folder, port, now }: Pick<MetricsContext, "port" | "now"> & { readonly folder: string },
): Promise<OpenedMetrics> {
  const [store, history] = [storeOn(table, { now }), openHistoryReader(table, now)];
  const { token, file } = await openMetricsToken(folder);
  const fleet = (signal: AbortSignal) => readFleet({ store, history }, now(), signal);
  const server = await serveMetrics({ fleet, now, token, port });
  return { line: `Metrics: ${server.url} (bearer token in ${file})`, close: () => server.close() };
}

export async function serveMetrics({ fleet, now, token, port }: MetricsContext): Promise<MetricsServer> {
  const ending = new AbortController();
  let scrapes = 0;

  async function scrape({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (scrapes >= mostScrapes) return refuse(response, 503, `expected at most ${mostScrapes} scrapes at a time`);
    scrapes += 1;
    try {
      const found = await fleet(AbortSignal.any([ending.signal, AbortSignal.timeout(answerLimitMs)]));
      const format = formatFor(headers.accept);
      const isZipped = acceptsGzip(headers["accept-encoding"]?.toString());
      response.writeHead(200, {
        "content-type": metricsTypes[format],
        ...(isZipped && { "content-encoding": "gzip" }),
      });
      const text = Readable.from(expositionOf(found, now(), format));
      await (isZipped ? pipeline(text, createGzip({ level: quickGzip }), response) : pipeline(text, response));
    } catch (error) {
      if (response.headersSent || (!isFault(error) && !ending.signal.aborted)) throw error;
      refuse(response, 503, (error as Error).message);
    } finally {
      scrapes -= 1;
    }
  }

  const server = createServer((request, response) => {
    const strange = strangeness(request);
    if (strange !== undefined) return refuse(response, 403, strange);
    if (!hasBearer(request.headers.authorization, token)) {
      response.setHeader("www-authenticate", "Bearer");
      return refuse(response, 401, "expected the bearer token in the file that ebb named when it started");
    }
    const astray = misdirected(request.method, request.url?.split("?")[0]);
    if (astray !== undefined) return refuse(response, astray.status, astray.message);
    scrape(request, response).catch(() => response.destroy());
  });
  const own = await openPort(server, port, "for the metrics");
  return {
    url: `http://127.0.0.1:${own}/metrics`,
    async close() {
      ending.abort(new Error("the server was stopped"));
      await closeServer(server);
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": sentenceType, connection: "close" });
  response.end(`${message}\n`);
}

export function acceptsGzip(accepted = ""): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i.test(accepted);
}
