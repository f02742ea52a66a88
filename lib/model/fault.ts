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
  | "badAnswer" // the far end answered with something that is not an answer (HTML, an unknown shape, 5xx)
  | "lost"; // sent, but whether it took effect is not known

/** Shared by all copies of this module: the part of a bundle that loads late (scripts/build.mjs) has its own copy. */
const brand = Symbol.for("ebb.dev/Fault");

/**
 * A failure at the edge. `message` says what was expected, what came, and where; `cause` is the original error.
 * `retryable`: the same call may succeed later without any change.
 */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly retryable: boolean;
  /** The HTTP status, if the far end speaks HTTP. */
  readonly status?: number;

  constructor(kind: FaultKind, message: string, options: { cause?: unknown; status?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    this.retryable = ["conflict", "throttled", "timeout", "unreachable", "badAnswer", "lost"].includes(kind);
    if (options.status !== undefined) this.status = options.status;
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

/** The message of a caught value. Avoids instanceof: an error of another realm (a worker, a sandbox) fails it. */
export function errorText(error: unknown): string {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
}
