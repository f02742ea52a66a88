import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Context, StreamifyHandler } from "aws-lambda";
import { isMap } from "../lib/k8s/map";
import { isFault } from "../lib/model/fault";
import { expositionOf } from "../lib/read/exposition";
import type { Fleet } from "../lib/read/fleet";
import { formatFor, metricsTypes, misdirected, sentenceType } from "../lib/read/scrape";
import { bearerIn, hasBearer } from "../lib/secrets/same-secret";
import { withinInvocation } from "./invocation";
import { type MetricsWiring, wireMetrics } from "./metrics-wiring";

interface Request {
  readonly method: string | undefined;
  readonly path: string | undefined;
  header(name: string): string | undefined;
}

interface Sentence {
  readonly status: 401 | 404 | 405 | 503;
  readonly message: string;
}

/**
 * Answers a function URL, anybody's request included. In parts, because Lambda refuses a whole answer above 6 MB, and
 * always zipped.
 */
export const metricsHandler =
  (wiring: MetricsWiring) =>
  async (event: unknown, stream: Writable, context: Context): Promise<void> => {
    const { reporter } = wiring;
    reporter.started(context.awsRequestId);
    try {
      await withinInvocation(context, ({ signal }) => answer(wiring, requestIn(event), { stream, signal }));
    } catch (error) {
      reporter.invocationFailed(error);
      throw error;
    } finally {
      reporter.flush();
    }
  };

interface Answering {
  readonly stream: Writable;
  readonly signal: AbortSignal;
}

async function answer(wiring: MetricsWiring, request: Request, { stream, signal }: Answering): Promise<void> {
  const refusal = (await strangerRefusal(wiring, request, signal)) ?? misdirected(request.method, request.path);
  if (refusal !== undefined) return refuse(stream, refusal);
  const found = await fleetOr(wiring, signal);
  if ("status" in found) return refuse(stream, found);
  const format = formatFor(request.header("accept"));
  const headers = { "content-type": metricsTypes[format], "content-encoding": "gzip", "cache-control": "no-store" };
  const text = Readable.from(expositionOf(found, wiring.now(), format));
  await pipeline(text, createGzip(), awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers }));
}

async function fleetOr({ fleet, reporter }: MetricsWiring, signal: AbortSignal): Promise<Fleet | Sentence> {
  try {
    return await fleet(signal);
  } catch (error) {
    if (!isFault(error)) throw error;
    reporter.warned("the table could not be read", error);
    return { status: 503, message: error.message };
  }
}

const refused = { status: 401, message: "expected the bearer token of this deployment's metrics" } as const;

/** A stranger learns nothing of the secret, nor of the table. */
async function strangerRefusal(
  { token, reporter }: MetricsWiring,
  request: Request,
  signal: AbortSignal,
): Promise<Sentence | undefined> {
  const given = request.header("authorization");
  if (bearerIn(given) === "") return refused;
  try {
    return hasBearer(given, await token.credential(signal)) ? undefined : refused;
  } catch (error) {
    if (!isFault(error)) throw error;
    reporter.warned("the token of the metrics could not be read, so nobody gets any", error);
    return { status: 503, message: "the token of the metrics cannot be read: this function's log says why" };
  }
}

async function refuse(stream: Writable, { status, message }: Sentence): Promise<void> {
  const headers = { "content-type": sentenceType, ...(status === 401 && { "www-authenticate": "Bearer" }) };
  await pipeline([`${message}\n`], awslambda.HttpResponseStream.from(stream, { statusCode: status, headers }));
}

/** Lambda writes the names of headers in lower case. Somebody who may invoke the function sends any event. */
function requestIn(event: unknown): Request {
  const { rawPath, headers, requestContext } = isMap(event) ? event : {};
  const http = isMap(requestContext) && isMap(requestContext["http"]) ? requestContext["http"] : {};
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    method: text(http["method"]),
    path: text(rawPath),
    header: (name) => (isMap(headers) && Object.hasOwn(headers, name) ? text(headers[name]) : undefined),
  };
}

let handle: ReturnType<typeof metricsHandler> | undefined;

export const handler: StreamifyHandler<unknown, void> = awslambda.streamifyResponse(
  async (event: unknown, stream, context) => {
    handle ??= metricsHandler(wireMetrics(process.env));
    await handle(event, stream, context);
  },
);
