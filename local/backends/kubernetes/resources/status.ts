/** The real API server's, verbatim (apimachinery, pkg/api/errors). */
export interface StatusAnswer {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Record<string, never>;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

interface Cause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusSubject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** The server answers with `status`. */
export class StatusError extends Error {
  readonly status: StatusAnswer & { readonly code: number };

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = "StatusError";
    const failure = { status: "Failure", message, reason, ...(details && { details }), code } as const;
    this.status = { kind: "Status", apiVersion: "v1", metadata: {}, ...failure };
  }
}

export class MethodError extends StatusError {
  constructor(
    message: string,
    details: StatusDetails,
    readonly allow: readonly string[],
  ) {
    super(405, "MethodNotAllowed", message, details);
  }
}

/** "deployments.apps"; "pods" in the core group. */
export function qualified({ group, plural }: Pick<StatusSubject, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

const about = ({ group, plural }: Pick<StatusSubject, "group" | "plural">, name: string): StatusDetails => ({
  ...(name !== "" && { name }),
  ...(group !== "" && { group }),
  kind: plural,
});

export function notFoundError(subject: StatusSubject, name: string): StatusError {
  return new StatusError(404, "NotFound", `${qualified(subject)} "${name}" not found`, about(subject, name));
}

export function alreadyExists(subject: StatusSubject, name: string): StatusError {
  return new StatusError(409, "AlreadyExists", `${qualified(subject)} "${name}" already exists`, about(subject, name));
}

export function conflictError(subject: StatusSubject, name: string, because: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${because}`;
  return new StatusError(409, "Conflict", message, about(subject, name));
}

export function modified(subject: StatusSubject, name: string): StatusError {
  const what = "the object has been modified; please apply your changes to the latest version and try again";
  return conflictError(subject, name, what);
}

export function forbiddenError(
  subject: Pick<StatusSubject, "group" | "plural">,
  name: string,
  because: string,
): StatusError {
  const what = name === "" ? qualified(subject) : `${qualified(subject)} "${name}"`;
  return new StatusError(403, "Forbidden", `${what} is forbidden: ${because}`, about(subject, name));
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** A resourceVersion whose changes are gone. */
export function expired(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new StatusError(415, "UnsupportedMediaType", message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, "Unauthorized", "Unauthorized");
}

/** In a served group and version. */
export function unknownResource(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(allow: readonly string[]): MethodError {
  return new MethodError("the server does not allow this method on the requested resource", {}, allow);
}

/** The 405 for a custom kind. */
export function methodNotSupported(subject: StatusSubject, verb: string, allow: readonly string[]): MethodError {
  const message = `${verb} is not supported on resources of kind "${qualified(subject)}"`;
  return new MethodError(message, about(subject, ""), allow);
}

export interface FieldCause {
  readonly field: string;
  readonly type: keyof typeof labels;
  /** Follows "Invalid value: "; only Invalid and NotSupported have it. */
  readonly value?: unknown;
  readonly detail?: string;
}

const labels = {
  ...{ Invalid: "Invalid value", Required: "Required value", NotSupported: "Unsupported value" },
  ...{ Forbidden: "Forbidden", TooLong: "Too long" },
};

const fieldMessage = (error: FieldCause): string =>
  [
    labels[error.type],
    ...(error.value === undefined ? [] : [JSON.stringify(error.value)]),
    ...(error.detail === undefined ? [] : [error.detail]),
  ].join(": ");

export function invalidError(
  subject: Pick<StatusSubject, "group" | "kind">,
  name: string,
  errors: readonly FieldCause[],
) {
  const kind = subject.group === "" ? subject.kind : `${subject.kind}.${subject.group}`;
  const causes = errors.map((error) => ({
    reason: `FieldValue${error.type}`,
    message: fieldMessage(error),
    field: error.field,
  }));
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const because = texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
  return new StatusError(422, "Invalid", `${kind} "${name}" is invalid: ${because}`, {
    ...(name !== "" && { name }),
    ...(subject.group !== "" && { group: subject.group }),
    kind: subject.kind,
    causes,
  });
}

export function success(subject: StatusSubject, name: string, uid: string): StatusAnswer {
  const details = { ...about(subject, name), uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
