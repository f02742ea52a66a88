import { isMap } from "../k8s/map";
import { Fault, isFault } from "../model/fault";
import { callAws } from "./call";
import type { AwsCredentials } from "./credentials";
import { signedGet } from "./signed-get";

export interface Executions {
  readonly allowed: number;
  /** Shared by functions without a reservation. */
  readonly unreserved: number;
  /** Concurrent invocations of sync that its queue's pollers start. */
  readonly ofSync: number;
  /** Present with provisioned pollers, of which the deployment has chosen the number. */
  readonly perPoller?: number;
}

interface AccountAccess {
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly signal: AbortSignal;
}

/** For a provisioned poller (lambda/latest/dg/services-sqs-scaling). */
const perPoller = 10;

/** Undefined: there is no such function, or nothing limits it. Rejects with a Fault. */
export async function readExecutions(
  syncFunction: string,
  { region, credentials, signal }: AccountAccess,
): Promise<Executions | undefined> {
  const description = `the Lambda functions of this account in ${region}`;
  const get = (action: string, path: string, query: Readonly<Record<string, string>> = {}) =>
    callAws({ action: `lambda:${action}`, description, signal }, (limit) =>
      signedGet({ service: "lambda", region, path, query }, credentials, limit),
    );
  const { EventSourceMappings: mappings } = await get("ListEventSourceMappings", "/2015-03-31/event-source-mappings/", {
    FunctionName: syncFunction,
  }).catch((error: unknown) => {
    if (isFault(error) && error.kind === "notFound") return { EventSourceMappings: [] };
    throw error;
  });
  const [mapping] = Array.isArray(mappings) ? (mappings as readonly unknown[]) : [];
  const started = startedBy(mapIn(mapping));
  if (started === undefined) return undefined;
  const settings = await get("GetAccountSettings", "/2016-08-19/account-settings/");
  const { ConcurrentExecutions: allowed, UnreservedConcurrentExecutions: unreserved } = mapIn(settings["AccountLimit"]);
  if (typeof allowed !== "number" || typeof unreserved !== "number")
    throw new Fault("badAnswer", `${description}: expected AccountLimit from lambda:GetAccountSettings, got none`);
  return { allowed, unreserved, ...started };
}

function startedBy(mapping: Readonly<Record<string, unknown>>): Pick<Executions, "ofSync" | "perPoller"> | undefined {
  const { MaximumPollers: pollers } = mapIn(mapping["ProvisionedPollerConfig"]);
  const { MaximumConcurrency: most } = mapIn(mapping["ScalingConfig"]);
  if (typeof pollers === "number") return { ofSync: perPoller * pollers, perPoller };
  return typeof most === "number" ? { ofSync: most } : undefined;
}

const mapIn = (value: unknown): Readonly<Record<string, unknown>> => (isMap(value) ? value : {});
