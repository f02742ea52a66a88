import { type FromKeda, type KedaTrigger, noteAws, numeric, onlySet } from "../keda";

export function fromAwsCloudWatch(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetMetricValue");
  noteAws(trigger);
  const expression = trigger.text("expression");
  const period = Number(trigger.text("metricStatPeriod") ?? 300);
  const collected = Number(trigger.text("metricCollectionTime") ?? 300);
  const least = trigger.text("minMetricValue") ?? "0";
  return {
    parameters: onlySet({
      ...(expression === undefined ? metricOf(trigger) : expressionAlone(expression, trigger)),
      period,
      periods: Math.max(1, Math.floor(collected / period)),
      delay: numeric(trigger.text("metricEndTimeOffset")),
      absent: trigger.flag("ignoreNullValues", true) ? Number(least) : "error",
      region: trigger.text("awsRegion"),
      account: trigger.text("awsAccountId"),
    }),
    target: trigger.text("targetMetricValue") ?? "",
  };
}

function metricOf(trigger: KedaTrigger): FromKeda["parameters"] {
  return {
    namespace: trigger.text("namespace"),
    metricName: trigger.text("metricName"),
    dimensions: dimensionsOf(trigger),
    statistic: trigger.text("metricStat"),
    unit: trigger.text("metricUnit"),
  };
}

const ofMetrics = ["namespace", "metricName", "dimensionName", "dimensionValue", "metricStat", "metricUnit"];

function expressionAlone(expression: string, trigger: KedaTrigger): FromKeda["parameters"] {
  for (const name of ofMetrics.filter((name) => trigger.text(name) !== undefined))
    trigger.note(name, "is not carried over: beside an expression, KEDA does not use it either");
  return { expression };
}

function dimensionsOf(trigger: KedaTrigger): Readonly<Record<string, string>> | undefined {
  const names = (trigger.text("dimensionName") ?? "").split(";").filter((name) => name !== "");
  const values = (trigger.text("dimensionValue") ?? "").split(";");
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name, index) => [name.trim(), (values[index] ?? "").trim()]));
}
