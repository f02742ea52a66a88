import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { convertScaledObject } from "../../cli/set-up/import/keda/convert-scaled-object";
import { scaledObjectProblems } from "../../cli/set-up/import/keda/problems";
import { checkDocument } from "../../cli/write/documents/check-document";
import type { HorizontalPodAutoscaler, MetricTarget } from "../../lib/k8s/hpa";
import { isQuantity, parseMilli } from "../../lib/k8s/quantity";
import type { ChangedSettings, SettingsCase } from "./generate-settings";

/** What KEDA makes of one trigger's settings: the target of its HPA's metric, or why it refuses them. */
export interface ToldOfSettings {
  readonly target?: MetricTarget;
  readonly error?: string;
}

export interface RecordedSettings extends ChangedSettings {
  readonly told: ToldOfSettings;
}

export const settingsFile = "test/vectors/keda-settings.jsonl.gz";

export function readSettings(): readonly RecordedSettings[] {
  const lines = gunzipSync(readFileSync(settingsFile)).toString("utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as RecordedSettings);
}

export function writeSettings(recorded: readonly RecordedSettings[]): Buffer {
  return gzipSync(recorded.map((one) => `${JSON.stringify(one)}\n`).join(""), { level: 9 });
}

/** In thousandths; 0 in a formula, which has its own; none: refused, by KEDA or by the API server that gets its HPA. */
export function targetOfKeda({ asked, told: { target } }: RecordedSettings): bigint | undefined {
  if (target === undefined || asked.isOperand) return target && 0n;
  const milli = milliOf(target);
  return milli !== undefined && milli > 0n ? milli : undefined;
}

export interface Ours {
  /** As targetOfKeda. */
  readonly target: bigint | undefined;
  /** None: it is imported. */
  readonly problems: readonly string[];
}

/** What the import makes of them, and `apply` of that. */
export function importSettings({ type, metadata, metricType, isOperand }: SettingsCase): Ours {
  const trigger = { type, metadata, name: "jobs", ...(metricType && { metricType }) };
  const scalingModifiers = { formula: "jobs + 1", target: "1" };
  const object = {
    ...{ apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", metadata: { name: "web", namespace: "shop" } },
    spec: {
      ...{ scaleTargetRef: { name: "web" }, triggers: [trigger] },
      ...(isOperand && { advanced: { scalingModifiers } }),
    },
  };
  const refused = scaledObjectProblems(object);
  if (refused.length > 0) return { target: undefined, problems: refused };
  const { documents, problems, inWords } = convertScaledObject(object, { annotations: {}, namespace: "shop" });
  if (problems.length > 0) return { target: undefined, problems };
  const checked = documents.map((document) => checkDocument(document, "shop"));
  const wrong = checked.flatMap((one) => ("errors" in one ? one.errors.map(({ text }) => inWords(text)) : []));
  if (wrong.length > 0) return { target: undefined, problems: wrong };
  const [hpa] = documents as unknown as readonly [HorizontalPodAutoscaler];
  const [metric] = hpa.spec.metrics ?? [];
  const target = (metric?.external ?? metric?.resource ?? metric?.containerResource)?.target;
  return { target: isOperand ? 0n : target && milliOf(target), problems: [] };
}

function milliOf({ averageValue, value, averageUtilization }: MetricTarget): bigint | undefined {
  const text = averageValue ?? value ?? averageUtilization?.toString() ?? "";
  return isQuantity(text) ? parseMilli(text) : undefined;
}
