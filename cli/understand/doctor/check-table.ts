import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from "../../../lib/aws/http/dynamodb-commands";
import { isFault } from "../../../lib/model/fault";
import { sentTo } from "../../../lib/table/faults";
import { tableRequest, type Table } from "../../../lib/table/reads";
import { byKindIndex, expiresAtAttribute } from "../../../lib/table/items/keys";
import { advice } from "../../shell/advice/table";
import { type Finding, fail, ok, skipped } from "./finding";

/** Compares the table with the stack's. Never rejects because of the service. Nobody should change another's table. */
export async function checkTable(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const [form = [], ...others] = await Promise.all(
    [checkForm, checkExpiry, checkRecovery].map((check) => check(table, signal)),
  );
  return form.some(isOfAnother) ? form : [...form, ...others.flat()];
}

const ofAnother = new Set([advice.nameTable, advice.reachTable].map((row) => JSON.stringify(row())));

function isOfAnother(finding: Finding): boolean {
  return finding.kind === "fail" && ofAnother.has(JSON.stringify(finding.todo));
}

async function checkForm(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const what = `table ${table.name} is there, with its index and its stream`;
  return describing(what, "dynamodb:DescribeTable", async () => {
    const request = table.client.send(new DescribeTableCommand({ TableName: table.name }), { abortSignal: signal });
    const { Table: found } = await sentTo(request, await tableRequest(table, "DescribeTable"));
    const keys = (found?.KeySchema ?? []).map(({ AttributeName }) => AttributeName).join();
    if (keys !== "pk,sk") return fail(what, `expected the keys pk and sk, got ${keys}`, advice.nameTable());
    const hasIndex = found?.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === byKindIndex) ?? false;
    if (!hasIndex) return fail(what, `it has no index ${byKindIndex}`, advice.addIndex());
    const streams = found?.StreamSpecification?.StreamEnabled ?? false;
    return streams
      ? ok(what)
      : fail(what, "its stream is off, so a change waits for the next slot", advice.startStream());
  });
}

async function checkExpiry(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const what = `old decisions and events expire (TTL on ${expiresAtAttribute})`;
  return describing(what, "dynamodb:DescribeTimeToLive", async () => {
    const request = table.client.send(new DescribeTimeToLiveCommand({ TableName: table.name }), {
      abortSignal: signal,
    });
    const { TimeToLiveDescription: ttl } = await sentTo(request, await tableRequest(table, "DescribeTimeToLive"));
    const isOn = ttl?.AttributeName === expiresAtAttribute && /^ENABL/.test(ttl.TimeToLiveStatus ?? "");
    return isOn ? ok(what) : fail(what, `TTL is ${ttl?.TimeToLiveStatus ?? "unknown"}`, advice.startExpiry());
  });
}

async function checkRecovery(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const what = "the table can be recovered (point in time)";
  return describing(what, "dynamodb:DescribeContinuousBackups", async () => {
    const command = new DescribeContinuousBackupsCommand({ TableName: table.name });
    const request = table.client.send(command, { abortSignal: signal });
    const { ContinuousBackupsDescription: backups } = await sentTo(
      request,
      await tableRequest(table, "DescribeContinuousBackups"),
    );
    const status = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus ?? "unknown";
    return status === "ENABLED" ? ok(what) : fail(what, `point-in-time recovery is ${status}`, advice.startBackups());
  });
}

async function describing(what: string, right: string, look: () => Promise<Finding>): Promise<readonly Finding[]> {
  try {
    return [await look()];
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === "forbidden") return [skipped(what, `your credentials lack ${right}`, advice.describeTable())];
    return [fail(what, error.message, advice.reachTable())];
  }
}
