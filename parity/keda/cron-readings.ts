import { convertScaledObject } from "../../cli/set-up/import/keda/convert-scaled-object";
import { openScheduleSource } from "../../lib/sources/schedule/schedule";
import { isAlternating, parseScheduleQuery, type Window } from "../../lib/sources/schedule/schedule-query";
import type { CronCase } from "./generate-crons";
import { cronRows, type ReadingRow } from "./readings";

/** Active, not active, or refused. */
export type CronAnswer = "1" | "0" | "x";

export interface CronRecording {
  readonly seed: number;
  readonly hash: string;
  readonly keda: string;
  readonly answers: string;
}

export const cronFile = "test/vectors/keda-crons.json";

const source = openScheduleSource();

interface Imported {
  readonly spec: { readonly parameters: Readonly<Record<string, string | number>> };
}

/** Of an imported trigger. */
export async function readCron({ metadata, now }: CronCase): Promise<CronAnswer> {
  const context = { now: Date.parse(now), signal: new AbortController().signal, cluster: undefined as never };
  const reading = await source.open(context).read({ metricName: "cron", parameters: parametersOf(metadata) });
  if ("error" in reading) return "x";
  return reading.items[0]?.value === metadata.desiredReplicas ? "1" : "0";
}

function parametersOf(metadata: CronCase["metadata"]): Imported["spec"]["parameters"] {
  const spec = { scaleTargetRef: { name: "orders" }, triggers: [{ type: "cron", metadata }] };
  const object = { metadata: { name: "orders", namespace: "shop" }, spec };
  const { documents } = convertScaledObject(object, { annotations: {}, namespace: "shop" });
  const [, entry] = documents as unknown as readonly [unknown, Imported];
  return entry.spec.parameters;
}

/** Undefined: no row explains KEDA's answer. */
export function cronRowOf({ metadata, now }: CronCase, told: CronAnswer): ReadingRow | undefined {
  const isOfSeven = [metadata.start, metadata.end].some((cron) => cron.endsWith(" 7"));
  if (isOfSeven || told === "x") return isOfSeven && told === "x" ? cronRows.sunday : undefined;
  const { windows } = parseScheduleQuery({ metricName: "cron", parameters: parametersOf(metadata) });
  const [window] = windows as readonly [Window];
  const { byRule, skipped } = lookAhead(window, Date.parse(now));
  if (byRule === told) return isAlternating(window) ? undefined : cronRows.alternation;
  return skipped > 0 ? cronRows.spring : skipped < 0 ? cronRows.autumn : undefined;
}

/** KEDA's rule (pkg/scalers/cron_scaler.go), and how much time the clock skips before both have come. */
function lookAhead({ start, end, clock }: Window, now: number) {
  const wall = new Date(clock.shownAt(now));
  const [starts, ends] = [start, end].map((cron) => cron.nextRun(wall)?.getTime() ?? Infinity) as [number, number];
  const last = Math.max(...[starts, ends].filter(Number.isFinite));
  const passed = clock.firstAt(last) - now;
  return { byRule: ends <= starts ? ("1" as const) : ("0" as const), skipped: last - wall.getTime() - passed };
}
