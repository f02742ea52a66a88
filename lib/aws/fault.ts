import { Fault, type FaultKind, isFault } from "../model/fault";

/** The error names of AWS services and of the SDK, by what they mean to us. Their message texts decide nothing. */
const namesByKind: Partial<Record<FaultKind, readonly string[]>> = {
  notFound: ["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "QueueDeletedRecently"],
  forbidden: [
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "AuthorizationErrorException",
    "UnauthorizedOperation",
    "UnauthorizedAccess",
    "KmsAccessDenied",
    "KmsAccessDeniedException",
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

const kindByCode: Readonly<Record<string, FaultKind>> = {
  ETIMEDOUT: "timeout",
  ESOCKETTIMEDOUT: "timeout",
  ECONNREFUSED: "unreachable",
  ECONNRESET: "unreachable",
  EPIPE: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
};

/** The fields that tell what an error of the SDK is; any may be missing. */
interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** What a failed call was, as a Fault whose message says what was asked, of whom, and what came. */
export function faultOf(error: unknown, call: { readonly action: string; readonly asked: string }): Fault {
  if (isFault(error)) return error;
  const sdkError = (typeof error === "object" && error !== null ? error : {}) as SdkError;
  const status = sdkError.$metadata?.httpStatusCode;
  const kind = kindOf(sdkError);
  const message = `${call.asked}: ${said(kind, sdkError, call.action)}`;
  return new Fault(kind, message, { cause: error, ...(status !== undefined && { status }) });
}

/** A request that the service refused by anything else than the names above is one that the entry's author has to mend: badEntry. */
function kindOf({ name, code, $fault, $metadata }: SdkError): FaultKind {
  const known = typeof name === "string" ? kindByName.get(name) : undefined;
  const network = typeof code === "string" ? kindByCode[code] : undefined;
  const status = $metadata?.httpStatusCode;
  if (known !== undefined) return known;
  if (network !== undefined) return network;
  if (status === 429) return "throttled";
  if ($fault === "client" && status !== undefined && status < 500) return status === 403 ? "forbidden" : "badEntry";
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
