import { awsFaultKind, brokeOff, sdkErrorOf } from "../aws/fault";
import { Fault, type FaultKind } from "../model/fault";

/** A fault's message starts with it. */
export interface TableRequest {
  readonly action: string;
  readonly table: string;
  readonly region: string;
}

/** @throws Fault for all that the service, the network or the credentials did. */
export async function sentTo<T>(request: Promise<T>, target: TableRequest): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw toFault(error, target);
  }
}

/** Returns any other error unchanged: a defect in ebb must stay visible. */
export function toFault(error: unknown, target: TableRequest): unknown {
  if (!(error instanceof Error)) return error;
  const { httpStatusCode: status, requestId } = sdkErrorOf(error).$metadata ?? {};
  // An answer that is not JSON is a SyntaxError, to which the SDK adds the status.
  const kind = awsFaultKind(sdkErrorOf(error)) ?? (status === undefined ? undefined : "badAnswer");
  if (kind === undefined) return error;
  return new Fault(kind, message(kind, error, target), {
    cause: error,
    requestId,
    ...(status === undefined ? {} : { status }),
  });
}

/** True if the write was sent, and no answer says that it was not applied. */
export function isAmbiguous(fault: Fault): boolean {
  if (fault.kind === "timeout" || fault.kind === "badAnswer") return true;
  return fault.kind === "unreachable" && brokeOff(sdkErrorOf(fault.cause));
}

/** 1 if the error does not say. */
export function attemptsOf(error: unknown): number {
  return sdkErrorOf(error).$metadata?.attempts ?? 1;
}

function message(kind: FaultKind, error: Error, { action, table, region }: TableRequest): string {
  const where = `table "${table}" in region ${region}`;
  const said = `${error.name}: ${error.message || "no message"}`;
  switch (kind) {
    case "notFound":
      return `table "${table}" not found in region ${region}: check the table's name and the region, or deploy the stack that creates it (${said})`;
    case "forbidden":
      return `${where}: the credentials lack dynamodb:${action} (${said})`;
    case "unauthorized":
      return error.name === "ExpiredTokenException"
        ? `${where}: the credentials have expired, renew them (${said})`
        : `${where}: no usable credentials for dynamodb:${action} (${said})`;
    case "throttled":
      return `${where}: ${action} was throttled (${said})`;
    case "timeout":
      return `${where}: ${action} got no answer in time (${said})`;
    case "unreachable":
      return `${where}: ${action} could not reach DynamoDB (${said})`;
    default:
      return `${where}: ${action} was answered with ${said}`;
  }
}
