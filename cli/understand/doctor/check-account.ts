import { awsHost } from "../../../lib/aws/endpoint";
import { endpointGiven, signedGet } from "../../../lib/aws/signed-get";
import { isFault, Fault } from "../../../lib/model/fault";
import type { Table } from "../../../lib/table/reads";
import { advice } from "../../shell/advice/table";
import { fail, type Finding, ok, skipped } from "./finding";
import { isMap } from "../../../lib/k8s/map";
import { callAws } from "../../../lib/aws/call";
import type { AwsCredentials } from "../../../lib/aws/credentials";

const others = 3;
/** Lambda accepts neither a lower limit, nor fewer provisioned pollers. */
const least = 2;

/** Skips a table on another server, unless an endpoint of Lambda is set. */
export async function checkAccount(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const { config } = table.client;
  const [region, endpoint] = await Promise.all([config.region(), config.endpoint()]);
  if (endpointGiven("lambda") === undefined && endpoint.hostname !== awsHost("dynamodb", region)) return [];
  const what = "the account has room for the functions";
  try {
    const credentials = await config.credentials();
    const found = await readExecutions(`${table.name}-sync`, { region, credentials, signal });
    if (found === undefined) return [];
    const { allowed, unreserved, ofSync, perPoller } = found;
    const needed = ofSync + others;
    if (unreserved >= needed) return [ok(what)];
    const uses = `it allows ${allowed} concurrent executions, ${unreserved} of them without a reservation, and the functions use up to ${needed}`;
    const fits = Math.floor((unreserved - others) / (perPoller ?? 1));
    if (fits < least) return [fail(what, uses, advice.askForExecutions())];
    const param = perPoller === undefined ? `syncConcurrency=${fits}` : `syncPollers=2,${fits}`;
    return [ok(`${what}, if other functions leave it: ${uses}`, advice.useFewerExecutions({ param }))];
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    return [skipped(what, error.message, error.kind === "forbidden" ? advice.describeTable() : advice.reachTable())];
  }
}

interface Executions {
  readonly allowed: number;
  /** Shared by functions without a reservation. */
  readonly unreserved: number;
  /** Concurrent invocations of sync that its queue's pollers start. */
  readonly ofSync: number;
  /** With provisioned pollers. */
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
