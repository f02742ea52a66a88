import { keepRequestId, requestIdOf } from "./request-ids";

/** The kinds of failure that code above an adapter distinguishes. It never depends on the message text. */
export type FaultKind =
  | "badEntry" // what the user wrote cannot be used; the message names the field
  | "notFound"
  | "forbidden"
  | "unauthorized"
  | "conflict" // somebody else wrote first
  | "throttled"
  | "timeout"
  | "unreachable"
  | "badAnswer" // the server answered with something that is not an answer (HTML, an unknown shape, 5xx)
  | "lost"; // sent, but whether it took effect is not known

/**
 * What the caller lacks and another may have: the functions have other credentials, rights and networks than the
 * machine of a person who runs `ebb doctor`. So such a failure says nothing about what they meet. The first four are
 * about AWS; `login` is that of a kubeconfig's user, and `kubeconfig` that nobody named the file.
 */
export type MissingAccess = "credentials" | "region" | "right" | "connection" | "variable" | "login" | "kubeconfig";

/** What failed on the way to a cluster, if not the cluster itself. */
type FaultPart = "secret" | "eks";

interface FaultOptions {
  readonly cause?: unknown;
  readonly status?: number;
  readonly lack?: MissingAccess | undefined;
  readonly part?: FaultPart | undefined;
  /** As AWS gave it, unchecked. */
  readonly requestId?: unknown;
}

/** Shared by all copies of this module: the part of a bundle that loads late (scripts/build.mjs) has its own copy. */
const brand = Symbol.for("ebb.dev/Fault");

/**
 * A failure at the edge. `message` says what was expected, what came, and where; `cause` is the original error.
 * `retryable`: the same call may succeed later without any change.
 */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly retryable: boolean;
  /** The HTTP status, if the server speaks HTTP. */
  readonly status?: number;
  /** Absent: nothing that another caller may have. */
  readonly lack?: MissingAccess;
  readonly part?: FaultPart;
  /** The id of the failed request, which AWS' support asks for. */
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

  /** Checks the brand, so that `instanceof` also works for a Fault of another copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }
}

export function isFault(error: unknown, kind?: FaultKind): error is Fault {
  return error instanceof Fault && (kind === undefined || error.kind === kind);
}

/** The same failure in other words, without its cause. */
export function rephrased(
  { kind, lack, part, requestId }: Fault,
  message: string,
  options: { cause?: unknown } = {},
): Fault {
  return new Fault(kind, message, { ...options, lack, part, requestId });
}

/** The message of a caught value. Avoids instanceof: an error of another realm (a worker, a sandbox) fails it. */
export function errorText(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
}
