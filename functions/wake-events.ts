import { isMap } from "../lib/k8s/map";
import { Fault } from "../lib/model/fault";
import { shown } from "../lib/model/check/problem";
import { parseWakeRequest, readWakeRequest, type WakeRequest } from "../lib/model/wake-request";
import type { EntryRecord } from "../lib/table/changed-hpa";

/** Records of the table's stream, and requests in any form that AWS delivers. */
export interface WakeEvent {
  readonly records: readonly EntryRecord[];
  readonly requests: readonly WakeRequest[];
}

const nothing: WakeEvent = { records: [], requests: [] };

/**
 * ```
 * {Records: [{dynamodb}]}           the table's stream
 * {Records: [{Sns: {Message}}]}     SNS: a request as JSON, or an alarm
 * {detail-type, detail}             an EventBridge rule: the detail is a request, or an alarm's change
 * {alarmArn, alarmData}             a CloudWatch alarm that invokes the function itself
 * anything else                     a request: Lambda's Invoke API, a rule with an input transformer
 * ```
 *
 * @throws Fault badEntry that says what is wrong with the request
 */
export function readWakeEvent(event: unknown): WakeEvent {
  if (!isMap(event)) throw new Fault("badEntry", `wake event: expected an object, got ${shown(event)}`);
  if (Object.hasOwn(event, "Records")) return readRecords(event["Records"]);
  if (isMap(event["alarmData"])) return alarmEvent(event["alarmData"]);
  if (!Object.hasOwn(event, "detail-type")) return { ...nothing, requests: [readWakeRequest(event)] };
  const detail = event["detail"];
  if (event["detail-type"] === "CloudWatch Alarm State Change" && isMap(detail)) return alarmEvent(detail);
  return { ...nothing, requests: [readWakeRequest(detail)] };
}

function readRecords(records: unknown): WakeEvent {
  if (!Array.isArray(records))
    throw new Fault("badEntry", `wake event, field Records: expected a list, got ${shown(records)}`);
  const read = (records as readonly unknown[]).map((record): WakeEvent => {
    if (!isMap(record)) return nothing;
    if (!isMap(record["Sns"])) return { ...nothing, records: [record] };
    const message = parseWakeRequest(String(record["Sns"]["Message"]));
    return isMap(message) && Object.hasOwn(message, "NewStateValue")
      ? alarmNotice(message)
      : { ...nothing, requests: [readWakeRequest(message)] };
  });
  return { records: read.flatMap((one) => one.records), requests: read.flatMap(({ requests }) => requests) };
}

/** From EventBridge or the alarm itself. Only its change to ALARM wakes. */
function alarmEvent(alarm: Readonly<Record<string, unknown>>): WakeEvent {
  const state = isMap(alarm["state"]) ? alarm["state"]["value"] : undefined;
  if (state !== "ALARM") return nothing;
  const configuration = isMap(alarm["configuration"]) ? alarm["configuration"] : {};
  const dimensions = listOf(configuration["metrics"]).map((metric) => at(metric, "metricStat", "metric", "dimensions"));
  return onQueues(
    alarm["alarmName"],
    dimensions.map((named) => (isMap(named) ? named["QueueName"] : undefined)),
  );
}

/** From SNS, for one metric or several. */
function alarmNotice(notice: Readonly<Record<string, unknown>>): WakeEvent {
  if (notice["NewStateValue"] !== "ALARM") return nothing;
  const trigger = isMap(notice["Trigger"]) ? notice["Trigger"] : {};
  const several = listOf(trigger["Metrics"]).flatMap((metric) =>
    listOf(at(metric, "MetricStat", "Metric", "Dimensions")),
  );
  const dimensions = [...listOf(trigger["Dimensions"]), ...several];
  return onQueues(notice["AlarmName"], dimensions.map(queueOf));
}

/** SNS writes `name` and `value`; CloudWatch's API and emulators `Name` and `Value`. */
function queueOf(dimension: unknown): unknown {
  if (!isMap(dimension)) return undefined;
  const { name = dimension["Name"], value = dimension["Value"] } = dimension;
  return name === "QueueName" ? value : undefined;
}

function onQueues(alarm: unknown, names: readonly unknown[]): WakeEvent {
  const queues = [...new Set(names)].filter((name): name is string => typeof name === "string" && name !== "");
  if (queues.length > 0) return { ...nothing, requests: queues.map((queue) => ({ queue })) };
  throw new Fault(
    "badEntry",
    `alarm ${shown(alarm)}: expected a metric with the dimension QueueName, got none; ` +
      'send {"cluster", "namespace", "name"} by an EventBridge rule with an input transformer',
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((from, field) => (isMap(from) ? from[field] : undefined), value);
}
