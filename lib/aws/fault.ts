import { Fault, type FaultKind, isFault, type MissingAccess } from "../model/fault";

/** Error names of AWS services and the SDK. Messages decide nothing. */
const namesByKind: Partial<Record<FaultKind, readonly string[]>> = {
  notFound: [
    "QueueDoesNotExist",
    "AWS.SimpleQueueService.NonExistentQueue",
    "QueueDeletedRecently",
    "ResourceNotFoundException",
    "ParameterNotFound",
    "ParameterVersionNotFound",
  ],
  badEntry: ["ValidationException", "InvalidParameterException"],
  forbidden: [
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "AuthorizationErrorException",
    "UnauthorizedOperation",
    "UnauthorizedAccess",
    "KmsAccessDenied",
    "KmsAccessDeniedException",
    "KMSAccessDeniedException",
    "OptInRequired",
  ],
  unauthorized: [
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
    "RequestTimeTooSkewed",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "InvalidAccessKeyId",
    "InvalidSecurity",
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "NotAuthorized",
    "CredentialsProviderError",
    "TokenProviderError",
  ],
  throttled: [
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottled",
    "RequestThrottledException",
    "RequestLimitExceeded",
    "ProvisionedThroughputExceededException",
    "TooManyRequestsException",
    "LimitExceededException",
    "LimitExceededFault",
    "BandwidthLimitExceeded",
    "PriorRequestNotComplete",
    "SlowDown",
    "OverLimit",
    "KmsThrottled",
  ],
  // ebb's own. The request was sent, so a write may have been applied.
  badAnswer: ["AnswerTooLarge"],
  timeout: ["TimeoutError", "AbortError", "RequestTimeout", "RequestTimeoutException"],
};

const kindByName = new Map(
  Object.entries(namesByKind).flatMap(([kind, names]) => names.map((name) => [name, kind as FaultKind] as const)),
);

/** Node's codes for a connection that was never made, and for one that broke. */
const refusedCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const brokenCodes = ["ECONNRESET", "EPIPE"];
const timeoutCodes = ["ETIMEDOUT", "ESOCKETTIMEDOUT"];
/** For a refused certificate or handshake: nothing was sent. */
const tlsFailure = /^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

export interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: {
    readonly httpStatusCode?: number;
    readonly requestId?: string | undefined;
    readonly attempts?: number;
    readonly clockSkewCorrected?: boolean;
  };
}

export function sdkErrorOf(error: unknown): SdkError {
  return typeof error === "object" && error !== null ? error : {};
}

export function awsFaultKind({ name, code }: SdkError): FaultKind | undefined {
  // The code comes first, because the SDK gives a broken connection the name TimeoutError.
  if (typeof code === "string") {
    if (refusedCodes.includes(code) || brokenCodes.includes(code) || tlsFailure.test(code)) return "unreachable";
    if (timeoutCodes.includes(code)) return "timeout";
  }
  return typeof name === "string" ? kindByName.get(name) : undefined;
}

export function brokeOff({ code }: SdkError): boolean {
  return typeof code === "string" && brokenCodes.includes(code);
}

export function faultOf(
  error: unknown,
  call: { readonly action: string; readonly description: string; readonly part?: "eks" },
): Fault {
  if (isFault(error)) return error;
  const sdkError = sdkErrorOf(error);
  const status = sdkError.$metadata?.httpStatusCode;
  const kind = kindOf(sdkError);
  const message = `${call.description}: ${said(kind, sdkError, call.action)}`;
  return new Fault(kind, message, {
    cause: error,
    ...(status !== undefined && { status }),
    lack: missingAccessOf(kind),
    part: call.part,
    requestId: sdkError.$metadata?.requestId,
  });
}

/** AWS may allow another caller the same call. */
export function missingAccessOf(kind: FaultKind): MissingAccess | undefined {
  if (kind === "unauthorized") return "credentials";
  return kind === "forbidden" ? "right" : undefined;
}

/** An unknown refusal needs another request: badEntry. */
function kindOf(error: SdkError): FaultKind {
  const known = awsFaultKind(error);
  const status = error.$metadata?.httpStatusCode;
  if (known !== undefined) return known;
  if (status === 429) return "throttled";
  if (error.$fault === "client" && status !== undefined && status < 500)
    return status === 403 ? "forbidden" : "badEntry";
  return "badAnswer";
}

/** Without times and request ids, so that a lasting failure reads the same in every slot. */
function said(kind: FaultKind, error: SdkError, action: string): string {
  const name = nameOf(error);
  // A parser's error quotes the answer, which may be a secret's value.
  const words = name === "SyntaxError" ? name : wordsOf(error);
  const status = error.$metadata?.httpStatusCode;
  switch (kind) {
    case "notFound":
      return `not found by ${action} (${name})`;
    case "forbidden":
      return `access denied, the role needs ${action} (${words})`;
    case "unauthorized":
      return `credentials not accepted for ${action} (${name})`;
    case "throttled":
      return `${action} was throttled (${name})`;
    case "timeout":
      return `no answer to ${action} in time (${name})`;
    case "unreachable":
      return `the endpoint of ${action} cannot be reached (${typeof error.code === "string" ? error.code : name})`;
    case "badEntry":
      return `${action} refused the request (${words})`;
    default:
      return `expected an answer to ${action}, got ${status === undefined ? words : `HTTP ${status} (${name})`}`;
  }
}

function nameOf({ name }: SdkError): string {
  return typeof name === "string" && name !== "" ? name : "unknown error";
}

function wordsOf(error: SdkError): string {
  const name = nameOf(error);
  return typeof error.message === "string" && error.message !== "" ? `${name}: ${error.message}` : name;
}

/**
 * For secrets and credentials: only a service's own words. Other messages may quote a command's output, an answer, or
 * the signed request.
 */
export function serviceWords(error: SdkError): string {
  const isService = error.$fault !== undefined && awsFaultKind(error) !== "unauthorized";
  return isService ? wordsOf(error) : typeof error.code === "string" ? `${nameOf(error)} ${error.code}` : nameOf(error);
}

export function asFault(error: unknown): Fault {
  if (isFault(error)) return error;
  return new Fault("badAnswer", error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
    cause: error,
  });
}
