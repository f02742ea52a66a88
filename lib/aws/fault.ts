import { Fault, type FaultKind, isFault } from "../model/fault";

/** The error names of AWS services and of the SDK, by what they mean to us. Message texts decide nothing. */
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
  timeout: ["TimeoutError", "AbortError", "RequestTimeout", "RequestTimeoutException"],
};

const kindByName = new Map(
  Object.entries(namesByKind).flatMap(([kind, names]) => names.map((name) => [name, kind as FaultKind] as const)),
);

/** Node's codes for a connection that was never made, and for one that broke. */
const refusedCodes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const brokenCodes = ["ECONNRESET", "EPIPE"];
const timeoutCodes = ["ETIMEDOUT", "ESOCKETTIMEDOUT"];
/** OpenSSL and Node have many codes for a certificate or a handshake that was not accepted; nothing was sent then either. */
const tlsFailure = /^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** The fields that say what an error of the SDK is; any may be missing. */
export interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

export function sdkErrorOf(error: unknown): SdkError {
  return (typeof error === "object" && error !== null ? error : {});
}

/** What an error of the SDK means, by its code and name; undefined for what is neither the network's nor a known answer. */
export function awsFaultKind({ name, code }: SdkError): FaultKind | undefined {
  // Before the name: the SDK calls a connection that broke a TimeoutError.
  if (typeof code === "string") {
    if (refusedCodes.includes(code) || brokenCodes.includes(code) || tlsFailure.test(code)) return "unreachable";
    if (timeoutCodes.includes(code)) return "timeout";
  }
  return typeof name === "string" ? kindByName.get(name) : undefined;
}

/** The request may have arrived: its connection broke after it was made. */
export function brokeOff({ code }: SdkError): boolean {
  return typeof code === "string" && brokenCodes.includes(code);
}

/** What a failed call was, as a Fault whose message says what was asked, of whom, and what came. */
export function faultOf(error: unknown, call: { readonly action: string; readonly asked: string }): Fault {
  if (isFault(error)) return error;
  const sdkError = sdkErrorOf(error);
  const status = sdkError.$metadata?.httpStatusCode;
  const kind = kindOf(sdkError);
  const message = `${call.asked}: ${said(kind, sdkError, call.action)}`;
  return new Fault(kind, message, { cause: error, ...(status !== undefined && { status }) });
}

/** A request that the service refused by any other name is one that the entry's author has to change: badEntry. */
function kindOf(error: SdkError): FaultKind {
  const known = awsFaultKind(error);
  const status = error.$metadata?.httpStatusCode;
  if (known !== undefined) return known;
  if (status === 429) return "throttled";
  if (error.$fault === "client" && status !== undefined && status < 500)
    return status === 403 ? "forbidden" : "badEntry";
  return "badAnswer";
}

/**
 * Texts that vary from call to call (times, request ids) are left out, so that a failure that stays reads the same every slot.
 */
function said(kind: FaultKind, error: SdkError, action: string): string {
  const name = typeof error.name === "string" && error.name !== "" ? error.name : "unknown error";
  const words = typeof error.message === "string" && error.message !== "" ? `${name}: ${error.message}` : name;
  const status = error.$metadata?.httpStatusCode;
  switch (kind) {
    case "notFound":
      return `not found by ${action} (${name})`;
    case "forbidden":
      return `access denied, the role needs ${action} (${words})`;
    case "unauthorized":
      return `credentials not accepted for ${action} (${words})`;
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

/** What was thrown as a Fault; a bug of ours shows as one too rather than failing every other query of a read. */
export function asFault(error: unknown): Fault {
  if (isFault(error)) return error;
  return new Fault("badAnswer", error instanceof Error ? `${error.name}: ${error.message}` : String(error), {
    cause: error,
  });
}
