import { BoundedMap } from "../../async/bounded-map";
import { type EndpointLimiter, openEndpointLimiter } from "../../async/endpoint-limiter";
import { abortReason, withinTime } from "../../async/within-time";
import { type Connection, openConnection } from "../../net/connection";
import { type Credential, withRenewal } from "../../net/credential";
import type { Endpoint } from "../../net/endpoint";
import { type Answer, type Call, faultKinds, type NoAnswer } from "../../net/exchange";
import type { MemoryShare } from "../../net/memory";
import { Fault, type FaultKind, isFault, rephrased } from "../../model/fault";
import type { ServiceAnswer, ServicePort } from "../../model/ports/cluster";
import type { ReadContext } from "../../model/ports/sources";
import { type Hiding, hiding } from "../../secrets/redact";
import { foreignWords } from "./as-reading";
import { type SourceNetwork, timeoutOf } from "./network";
import { sign, type Sigv4 } from "./sigv4";
import { webAuthenticator, type WebSecret } from "./web-credential";

export interface WebServer extends WebSecret {
  /** With the function's own AWS credentials. */
  readonly sigv4?: Sigv4;
  /** The service behind the endpoint: requests go through the API server. */
  readonly via?: ServicePort;
  readonly timeoutMs: number;
}

export interface WebRequest extends Pick<Call, "method" | "headers" | "body"> {
  /** Below the endpoint's path, with the query. */
  readonly path: string;
  /** `queue "orders" of https://mq.example.com`, without parameters that may be secret. */
  readonly description: string;
  readonly failureKey: string;
  readonly priority?: number | undefined;
  /** The server's own error in the body of a refusal. */
  readonly errorIn?: (body: Buffer) => string | undefined;
}

/** Rejects with a Fault unless the answer has status 200. */
export type WebClient = (context: ReadContext, server: WebServer, request: WebRequest) => Promise<ServiceAnswer>;

/** Lasts from slot to slot, for the entries of one cluster. */
interface Open {
  readonly connection: Connection;
  readonly credentials: Hiding;
  readonly limiter: EndpointLimiter;
  readonly memory: MemoryShare;
}

/** The process stays connected to so many. */
const mostServers = 500;
/** To one server at a time. */
const concurrency = 16;
const maxResets = 1;
/** Compressed or not: a metric is a number. */
const maxBytes = 2 * 1024 * 1024;
const limits = { connectMs: 3_000, idleMs: 5_000, maxBytes };

/** Shares no connection, limiter or credential between clusters. Redirects are errors. */
export function openWebClient(network: SourceNetwork): WebClient {
  const servers = new BoundedMap<string, Open>(mostServers, ({ connection }) => connection.close());
  const shares = new Map<string, MemoryShare>();

  function serverOf(cluster: string, server: WebServer): Open {
    const { endpoint, secret, sigv4 } = server;
    const { url, certificateAuthority, tlsServerName } = endpoint;
    const key = JSON.stringify([cluster, url.href, certificateAuthority, tlsServerName, secret, sigv4]);
    const known = servers.get(key);
    if (known !== undefined) return known;
    const memory = shares.get(cluster) ?? network.memory.share();
    shares.set(cluster, memory);
    const { addresses, now } = network;
    const opened = {
      connection: openConnection(endpoint, { idleSockets: concurrency, limits, addresses, now }),
      credentials: hiding(webAuthenticator(cluster, server, network)),
      limiter: openEndpointLimiter({ endpoint: originOf(endpoint), limit: concurrency, now }),
      memory,
    };
    servers.set(key, opened);
    return opened;
  }

  async function signed(server: WebServer, request: WebRequest): Promise<WebRequest> {
    const { sigv4, endpoint } = server;
    if (sigv4 === undefined) return request;
    const { awsCredentials, now } = network;
    return {
      ...request,
      headers: await sign(request, { ...sigv4, url: endpoint.url, credentials: awsCredentials, now: now() }),
    };
  }

  return async (context, server, request) => {
    if (server.via !== undefined) return throughApiServer(context, server, server.via, request);
    const open = serverOf(context.cluster.name, server);
    const { description, failureKey, priority = 0 } = request;
    try {
      return await open.limiter.run({ failureKey, description, signal: context.signal, priority }, (callSignal) =>
        withinTime(timeoutOf(server, context), callSignal, async (signal) => {
          try {
            return await send(open, await signed(server, request), { signal, until: context.signal });
          } catch (error) {
            throw isFault(error) || !signal.aborted ? error : outOfTime(request, signal);
          }
        }),
      );
    } catch (error) {
      throw open.credentials.hide(
        isFault(error) || !context.signal.aborted ? error : outOfTime(request, context.signal),
      );
    }
  };
}

async function throughApiServer(
  context: ReadContext,
  server: WebServer,
  via: ServicePort,
  request: WebRequest,
): Promise<ServiceAnswer> {
  const { cluster, signal } = context;
  const { endpoint } = server;
  const { path, headers, priority = 0, description } = request;
  const whole = `${endpoint.url.pathname.replace(/\/+$/, "")}${path}`;
  try {
    const api = await cluster.api();
    const answer = await withinTime(timeoutOf(server, context), signal, (limit) =>
      api.getService({ ...via, path: whole, headers, maxBytes, priority }, limit),
    );
    if (answer.status === 200) return withoutError(answer, request);
    throw faultOfStatus(answer, request, false);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw error.message.startsWith(description)
      ? error
      : rephrased(error, `${description}: ${error.message}`, { cause: error });
  }
}

function outOfTime({ description }: WebRequest, signal: AbortSignal): Fault {
  return new Fault("timeout", `${description}: ${abortReason(signal).message}`);
}

export function originOf({ url }: Endpoint): string {
  return url.href.replace(/\/+$/, "");
}

/** A space is %20, not +, because a signature covers this text. */
export function queryText(parameters: Readonly<Record<string, string>>): string {
  const strictly = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return Object.entries(parameters)
    .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
    .join("&");
}

interface Times {
  readonly signal: AbortSignal;
  /** The answer's memory is in use until this fires. */
  readonly until: AbortSignal;
}

async function send(open: Open, request: WebRequest, { signal, until }: Times): Promise<Answer> {
  const { connection, credentials, memory } = open;
  const { method, path, headers, body } = request;
  const call = { method, path, headers, memory, until, ...(body !== undefined && { body }) };
  let resets = 0;
  return withRenewal<Credential, Answer>(credentials, signal, async (credential) => {
    const answer = await connection.exchange(call, credential, signal);
    if ("failure" in answer) {
      if (answer.failure !== "reset" || resets >= maxResets) throw faultOfNoAnswer(answer, request);
      resets += 1;
      connection.dropIdle();
      return "again";
    }
    if (answer.status === 200) return { value: withoutError(answer, request) };
    const refused = () => {
      throw faultOfStatus(answer, request, Object.keys(credential.headers).length > 0);
    };
    return answer.status === 401 ? { refused } : refused();
  });
}

function faultOfNoAnswer({ failure, detail, cause }: NoAnswer, { description }: WebRequest): Fault {
  return new Fault(faultKinds[failure], `${description}: ${detail}`, { cause });
}

/** Some proxies answer with status 200 and an error. */
function withoutError<Of extends ServiceAnswer>(answer: Of, { description, errorIn }: WebRequest): Of {
  const error = errorIn?.(answer.body) ?? "";
  if (error === "") return answer;
  throw new Fault("badAnswer", `${description}: the server answers with an error: ${foreignWords(error)}`);
}

/** A body is foreign: messages show only `errorIn` of it, without control characters. */
function faultOfStatus(
  { status, body }: ServiceAnswer,
  { description, errorIn }: WebRequest,
  hasCredential: boolean,
): Fault {
  const error = errorIn?.(body);
  const own = error === undefined ? undefined : foreignWords(error);
  const [kind, what] = saying(
    status,
    hasCredential ? "the credential of the source's secret" : "requests without a secret",
  );
  return new Fault(kind, `${description}: ${what} (status ${status}${own === undefined ? "" : `: ${own}`})`, {
    status,
  });
}

function saying(status: number, credential: string): readonly [FaultKind, string] {
  if (status < 300) return ["badAnswer", "expected the answer, got another success than 200"];
  if (status === 401) return ["unauthorized", `the server does not accept ${credential}`];
  if (status === 403) return ["forbidden", `the server does not allow it to ${credential}`];
  if (status === 404) return ["notFound", "there is no such thing on the server"];
  if (status === 429) return ["throttled", "the server asks for fewer requests"];
  if (status >= 300 && status < 400)
    return ["badAnswer", "expected the answer, got a redirection, which is not followed"];
  if (status >= 500) return ["unreachable", "the server failed"];
  return ["badAnswer", "the server refused the request"];
}
