import { keepRequestId, requestIdOf } from "./request-ids";

/** Code above an adapter decides by these, never by message text. */
export type FaultKind =
  | "badEntry" // the message names the field
  | "notFound"
  | "forbidden"
  | "unauthorized"
  | "conflict"
  | "throttled"
  | "timeout"
  | "unreachable"
  | "badAnswer" // HTML, an unknown shape, 5xx
  | "lost"; // sent, and may have taken effect

/**
 * Access that the caller lacks and another may have: the functions have other credentials and networks than a person
 * who runs `ebb doctor`. `login`: of a kubeconfig's user. `kubeconfig`: nobody named the file.
 */
export type MissingAccess = "credentials" | "region" | "right" | "connection" | "variable" | "login" | "kubeconfig";

/** What failed on the way, if not the cluster itself. */
type FaultPart = "secret" | "eks";

interface FaultOptions {
  readonly cause?: unknown;
  readonly status?: number;
  readonly lack?: MissingAccess | undefined;
  readonly part?: FaultPart | undefined;
  /** Unchecked. */
  readonly requestId?: unknown;
}

/** The part of a bundle that loads late (scripts/build.mjs) has its own copy of this module. */
const brand = Symbol.for("ebb.dev/Fault");

/** `message` says what was expected, what came, and where. `retryable`: the same call may succeed later. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly retryable: boolean;
  readonly status?: number;
  /** Absent: no access is missing. */
  readonly lack?: MissingAccess;
  readonly part?: FaultPart;
  /** AWS support asks for it. */
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

  /** Makes `instanceof` work for a Fault of another copy of this module. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

export function isFault(error: unknown, kind?: FaultKind): error is Fault {
  return error instanceof Fault && (kind === undefined || error.kind === kind);
}

/** Without a cause, unless the options name one. */
export function rephrased(
  { kind, lack, part, requestId }: Fault,
  message: string,
  options: { cause?: unknown } = {},
): Fault {
  return new Fault(kind, message, { ...options, lack, part, requestId });
}

/** Avoids instanceof: an error of another realm (a worker, a sandbox) fails it. */
export function errorText(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
}
