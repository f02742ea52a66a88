import { awsHost } from "../../../lib/aws/endpoint";
import { readExecutions } from "../../../lib/aws/lambda-account";
import { endpointGiven } from "../../../lib/aws/signed-get";
import { isFault } from "../../../lib/model/fault";
import type { Table } from "../../../lib/table/reads";
import { advice } from "../../shell/advice/table";
import { fail, type Finding, ok, skipped } from "./finding";

/** Beside sync: tick, wake and watch, one of each at a time. */
const others = 3;
/** Lambda accepts neither a lower limit, nor fewer provisioned pollers. */
const least = 2;

/**
 * Checks the account's concurrency for the deployment, which has the table's name. Skips a table on another server,
 * unless an endpoint of Lambda is set.
 */
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
