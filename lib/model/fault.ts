/** Code decides by these, never by message text. */
export type FaultKind =
  | "badEntry"
  | "notFound"
  | "forbidden"
  | "unauthorized"
  | "conflict"
  | "throttled"
  | "timeout"
  | "unreachable"
  | "badAnswer" // HTML, an unknown shape, 5xx
  | "lost"; // sent, and may have taken effect

/** Another caller may have the access: functions have other credentials and networks than a person's machine. */
export type MissingAccess = "credentials" | "region" | "right" | "connection" | "variable" | "login" | "kubeconfig";

type FaultPart = "secret" | "eks";

interface FaultOptions {
  readonly cause?: unknown;
  readonly status?: number;
  readonly lack?: MissingAccess | undefined;
  readonly part?: FaultPart | undefined;
  readonly requestId?: unknown;
}

/** A late part of a bundle (scripts/build.mjs) has its own copy of this module. */
const brand = Symbol.for("ebb.dev/Fault");

/** `message`: what was expected, what came, and where. `retryable`: the same call may succeed later. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly retryable: boolean;
  readonly status?: number;
  readonly lack?: MissingAccess;
  readonly part?: FaultPart;
  readonly requestId?: string;

  constructor(kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    this.retryable = ["conflict", "throttled", "timeout", "unreachable", "badAnswer", "lost"].includes(kind);
    if (options.status !== undefined) this.status = options.status;
    if (options.lack !== undefined) this.lack = options.lack;
    if (options.part !== undefined) this.part = options.part;
    const requestId = requestIdOf(options.requestId);
    if (requestId === undefined) return;
    this.requestId = requestId;
    keepRequestId(message, requestId);
  }

  get [brand](): true {
    return true;
  }

  /** Makes `instanceof` work across copies of this module. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

export function isFault(error: unknown, kind?: FaultKind): error is Fault {
  return error instanceof Fault && (kind === undefined || error.kind === kind);
}

export function rephrased(
  { kind, lack, part, requestId }: Fault,
  message: string,
  options: { cause?: unknown } = {},
): Fault {
  return new Fault(kind, message, { ...options, lack, part, requestId });
}

/** Without instanceof, which fails for errors of another realm (a worker, a sandbox). */
export function errorText(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
}

/** A message has no ID itself, so that a lasting failure reads the same in every slot. */
const most = 200;

const idForm = /^[\w+/=-]{1,128}$/;

const key: unique symbol = Symbol.for("ebb.dev/request-ids");

const shared = globalThis as { [key]?: Map<string, string> };

const idByMessage = (shared[key] ??= new Map<string, string>());

/** Undefined: not an ID. */
function requestIdOf(given: unknown): string | undefined {
  return typeof given === "string" && idForm.test(given) ? given : undefined;
}

function keepRequestId(message: string, id: string): void {
  idByMessage.delete(message);
  idByMessage.set(message, id);
  const [oldest] = idByMessage.keys();
  if (idByMessage.size > most && oldest !== undefined) idByMessage.delete(oldest);
}

export function requestIdIn(text: string): string | undefined {
  return [...idByMessage].findLast(([message]) => text.includes(message))?.[1];
}
