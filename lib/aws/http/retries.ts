import { sdkErrorOf, type SdkError } from "../fault";

/** The SDK's retry mode "standard" (@smithy/core, retry). */
const throttlings = [
  "BandwidthLimitExceeded",
  "EC2ThrottledException",
  "LimitExceededException",
  "PriorRequestNotComplete",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionInProgressException",
];
const transientNames = ["TimeoutError", "RequestTimeout", "RequestTimeoutException"];
const transientCodes = [
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
];
const transientStatuses = [500, 502, 503, 504];

type FailureKind = "throttling" | "transient" | "lasting";

export function failureKind({ name, code, $metadata }: SdkError): FailureKind {
  const status = $metadata?.httpStatusCode ?? 0;
  if (status === 429 || (typeof name === "string" && throttlings.includes(name))) return "throttling";
  if (name === "AbortError") return "lasting";
  const isTransient =
    $metadata?.clockSkewCorrected === true ||
    (typeof name === "string" && transientNames.includes(name)) ||
    (typeof code === "string" && transientCodes.includes(code)) ||
    transientStatuses.includes(status);
  return isTransient ? "transient" : "lasting";
}

const baseMs = { throttling: 500, transient: 100 };
const budget = 500;
const retryCost = 5;

export interface Retries {
  /** Undefined: no further attempt. */
  delayMs(error: unknown, attempts: number): number | undefined;
  succeeded(attempts: number): void;
}

/** For one client. The budget of retries spares a service that fails all the time. */
export function openRetries(maxAttempts: number): Retries {
  let left = budget;
  return {
    delayMs(error, attempts) {
      const kind = failureKind(sdkErrorOf(error));
      if (kind === "lasting" || attempts >= maxAttempts || left < retryCost) return undefined;
      left -= retryCost;
      return Math.floor(Math.random() * baseMs[kind] * 2 ** (attempts - 1));
    },
    succeeded(attempts) {
      left = Math.min(budget, left + (attempts > 1 ? retryCost : 1));
    },
  };
}
