import { isMap, present } from "../../k8s/map";
import { Fault, isFault } from "../../model/fault";
import { describe, faultOfNoAnswer, faultOfStatus, isStatus, notAnAnswer, type Subject } from "./api-fault";
import type { Connection, Outgoing } from "../../net/connection";
import { type Authenticator, type Credential, withRenewal } from "../../net/credential";
import type { Answer, Call } from "../../net/exchange";
import type { Trim } from "../../net/split-list";
import { openEndpointLimiter, type EndpointLimiter } from "../../async/endpoint-limiter";
import { abortReason, OutOfTime, pause, withinTime } from "../../async/within-time";
import type { EpochMs } from "../../k8s/time";
import type { MemoryShare } from "../../net/memory";

export interface ApiRequest {
  readonly method: Call["method"];
  readonly subject: Subject;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly accept?: string;
  readonly maxBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** For large answers, which are worth the time of compression. */
  readonly large?: boolean;
  /** Cuts each object of a list on arrival, to save memory. */
  readonly trim?: Trim;
  /** The valid kinds; "any" but a Status. Anything else is Fault "badAnswer". */
  readonly kinds: readonly string[] | "any";
  /** Within the API group. Absent: the read depends on the group alone. */
  readonly failureKey?: string;
  /** The read's position in its HPA: lower numbers go first. Default 0. */
  readonly priority?: number;
  readonly timeoutMs?: number;
  readonly mayStart?: Call["mayStart"];
  readonly onAnswer?: (headers: Answer["headers"]) => void;
}

export type ApiObject = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Rejects with a Fault. */
export type ApiClient = (request: ApiRequest, signal: AbortSignal) => Promise<ApiObject>;

export interface ApiClientOptions {
  readonly connection: Connection;
  readonly authenticator: Authenticator;
  readonly origin: string;
  readonly timeoutMs: number;
  readonly memory: MemoryShare;
  /** Concurrent reads of one API group. */
  readonly concurrency: number;
  readonly now: () => EpochMs;
}

/** Per read: after a broken connection, and after a Retry-After. */
const MAX_RESETS = 2;
const MAX_WAITS = 3;
const MAX_WAIT_MS = 3_000;

/**
 * Every API group is an endpoint of its own, since its server may hang alone. Writes wait for no permit: the scale was
 * just read.
 */
export function apiClient(options: ApiClientOptions): ApiClient {
  const limiters = new Map<string, EndpointLimiter>();
  const limiterOf = (group: string): EndpointLimiter => {
    const endpoint = isMetricsApi(group) ? `${group} of ${options.origin}` : options.origin;
    const limiter =
      limiters.get(group) ?? openEndpointLimiter({ endpoint, limit: options.concurrency, now: options.now });
    limiters.set(group, limiter);
    return limiter;
  };

  return async (request, signal) => {
    const { method, subject, failureKey, priority = 0 } = request;
    if (method !== "GET") return send(options, request, signal, signal);
    const callOptions = { description: describe(subject), signal, priority, ...present({ failureKey }) };
    try {
      return await limiterOf(subject.group).run(callOptions, (callSignal) =>
        send(options, request, callSignal, signal),
      );
    } catch (error) {
      if (isFault(error) || !signal.aborted) throw error;
      const why = `${options.origin}: ${abortReason(signal).message} (${describe(subject)})`;
      throw new Fault("timeout", why, { cause: error });
    }
  };
}

function isMetricsApi(group: string): boolean {
  return group === "metrics.k8s.io" || group.endsWith(".metrics.k8s.io");
}

function send(
  options: ApiClientOptions,
  request: ApiRequest,
  signal: AbortSignal,
  until: AbortSignal,
): Promise<ApiObject> {
  return withinTime(request.timeoutMs ?? options.timeoutMs, signal, async (limit) => {
    const answer = await insist(options, request, limit, until);
    request.onAnswer?.(answer.headers);
    if (answer.status !== 200 && answer.status !== 201) throw faultOfStatus(answer, request.subject, options.origin);
    return readObject(answer, request);
  });
}

/**
 * Sends a write again only after a 401; a read also after a reset (the server had closed a keep-alive connection), and
 * after a Retry-After.
 */
export async function insist(
  options: ApiClientOptions,
  request: Omit<ApiRequest, "kinds">,
  limit: AbortSignal,
  until: AbortSignal,
): Promise<Answer> {
  const { connection, authenticator, origin, memory } = options;
  const { subject } = request;
  const isRead = request.method === "GET";
  let resets = 0;
  let waits = 0;
  let waitedMs = 0;
  const credentials: Authenticator = {
    credential: () => credentialFor(subject, options, limit),
    invalidate: (refused) => authenticator.invalidate(refused),
  };
  return withRenewal<Credential, Answer>(credentials, limit, async (credential) => {
    const answer = await connection.exchange({ ...outgoing(request), memory, until }, credential, limit);
    if ("failure" in answer) {
      if (!isRead || answer.failure !== "reset" || resets >= MAX_RESETS) throw faultOfNoAnswer(answer, subject, origin);
      resets += 1;
      connection.dropIdle();
      return "again";
    }
    if (isForwarded(answer, subject)) return { value: answer };
    if (answer.status === 401) return { refused: () => answer };
    const waitMs = isRead ? retryAfterMs(answer) : undefined;
    if (waitMs === undefined || waits >= MAX_WAITS || waitedMs + waitMs > MAX_WAIT_MS) return { value: answer };
    waits += 1;
    waitedMs += waitMs;
    await pause(waitMs, limit).catch(() => {
      throw faultOfStatus(answer, subject, origin);
    });
    return "again";
  });
}

/** A service's 401 says nothing about the cluster's credential, and a pod could forge a Status. */
function isForwarded(answer: Answer, { resource, subresource }: Subject): boolean {
  return subresource === "proxy" && (resource === "pods" || (answer.status === 401 && !isStatus(answer)));
}

async function credentialFor(
  subject: Subject,
  { authenticator, origin }: ApiClientOptions,
  limit: AbortSignal,
): Promise<Credential> {
  try {
    return await authenticator.credential(limit);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    if (!limit.aborted) throw cause;
    const why = cause instanceof OutOfTime ? `no credential within ${cause.afterMs / 1000} s` : "given up";
    throw new Fault("timeout", `${origin}: ${why} (${describe(subject)})`, { cause });
  }
}

function outgoing(request: Omit<ApiRequest, "kinds">): Omit<Outgoing, "memory" | "until"> {
  const { method, subject, query, body, accept, large, trim, headers, maxBytes, mayStart } = request;
  const search = new URLSearchParams(query).toString();
  const text = body === undefined ? undefined : JSON.stringify(body);
  return {
    method,
    path: search === "" ? subject.path : `${subject.path}?${search}`,
    headers: {
      ...headers,
      Accept: accept ?? "application/json",
      "User-Agent": "ebb",
      ...(large === true ? { "Accept-Encoding": "gzip" } : {}),
      ...(text === undefined
        ? {}
        : {
            "Content-Type": contentTypes[method] ?? "application/json",
            "Content-Length": String(Buffer.byteLength(text)),
          }),
    },
    ...present({ body: text, trim, maxBytes, mayStart }),
  };
}

/** A strategic merge, like client-go's. */
const contentTypes: Readonly<Partial<Record<Call["method"], string>>> = {
  PATCH: "application/strategic-merge-patch+json",
};

function retryAfterMs({ status, headers }: Answer): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = headers["retry-after"];
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function readObject(answer: Answer, { subject, kinds, trim }: ApiRequest): ApiObject {
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString("utf8"));
  } catch {
    throw notAnAnswer(answer, subject, `JSON of ${kindsText(kinds)}`);
  }
  if (!isMap(value) || typeof value["kind"] !== "string" || !isOneOf(kinds, value["kind"]))
    throw notAnAnswer(answer, subject, `an object of ${kindsText(kinds)}`);
  return withObjects(value as ApiObject, answer.objects, trim);
}

function isOneOf(kinds: ApiRequest["kinds"], kind: string): boolean {
  return kinds === "any" ? kind !== "Status" : kinds.includes(kind);
}

function kindsText(kinds: ApiRequest["kinds"]): string {
  return kinds === "any" ? "any kind" : `kind ${kinds.join(" or ")}`;
}

function withObjects(list: ApiObject, objects: Answer["objects"], trim: ApiRequest["trim"]): ApiObject {
  const { items } = list;
  if (trim === undefined || !Array.isArray(items)) return list;
  let taken = 0;
  // Without objects, the list's key had escapes: trim now.
  const whole = (item: unknown) => (objects?.length ? objects[taken++] : trim.keep(item));
  return { ...list, items: items.map((item: unknown) => (isMap(item) ? whole(item) : item)) };
}
