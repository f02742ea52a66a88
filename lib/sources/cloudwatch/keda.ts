import { type FromKeda, type KedaTrigger, noteAws, numeric, onlySet } from "../keda";

/** aws-cloudwatch: ebb reads the newest complete datapoint of the same window. */
export function fromAwsCloudWatch(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetMetricValue");
  noteAws(trigger);
  const expression = trigger.text("expression");
  const period = Number(trigger.text("metricStatPeriod") ?? 300);
  const collected = Number(trigger.text("metricCollectionTime") ?? 300);
  const least = trigger.text("minMetricValue") ?? "0";
  const dimensions = dimensionsOf(trigger);
  const metric = { namespace: trigger.text("namespace"), metricName: trigger.text("metricName") };
  const statistic = trigger.text("metricStat");
  const unit = trigger.text("metricUnit");
  return {
    parameters: onlySet({
      ...(expression === undefined ? { ...metric, dimensions, statistic, unit } : { expression }),
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

function dimensionsOf(trigger: KedaTrigger): Readonly<Record<string, string>> | undefined {
  const names = (trigger.text("dimensionName") ?? "").split(";").filter((name) => name !== "");
  const values = (trigger.text("dimensionValue") ?? "").split(";");
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name, index) => [name.trim(), (values[index] ?? "").trim()]));
}
