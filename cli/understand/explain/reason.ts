import { humanDuration } from "../../../lib/k8s/human-duration";
import type { Cause, Scaling } from "../../../lib/core/explain/cause";
import type { HeldSize, Obstacle } from "../../../lib/core/explain/digest";
import type { MetricReading } from "../../../lib/core/explain/metric-reading";

interface Telling {
  /** "asked" for a decision of the past. */
  readonly ask: "ask" | "asked";
  /** For a line without the page's other lines. */
  readonly withReading?: boolean;
}

/** "queue asks for 12, and the rate of scale-up allows 5" */
export function reasonText({ cause, limit }: Scaling, telling: Telling): string {
  const why = causeText(cause, telling);
  return limit === undefined ? why : `${why}, and ${limitText(limit, telling)}`;
}

function causeText(cause: Cause, telling: Telling): string {
  switch (cause.kind) {
    case "metric":
      return metricText(cause.metric, telling);
    case "metrics":
      return `the metrics ${telling.ask} for ${cause.asksFor}`;
    case "window": {
      const { replicas, recommendation, windowSeconds } = cause.hold;
      return `${recommendation ?? replicas} is the highest recommendation of the last ${seconds(windowSeconds)}`;
    }
    case "bound":
      return `${cause.by} is ${cause.replicas}`;
    case "unknown":
      return "the steps of this decision were not kept";
  }
}

function metricText({ metric, asksFor, failure, read }: MetricReading, { ask, withReading }: Telling): string {
  const asks = ask === "ask" ? "asks" : "asked";
  if (failure !== undefined) return `the fallback of ${metric} ${asks} for ${asksFor}`;
  return `${metric} ${asks} for ${asksFor}${withReading === true && read !== undefined ? ` (${read})` : ""}`;
}

function limitText(limit: HeldSize, { ask }: Telling): string {
  const past = ask === "asked";
  switch (limit.by) {
    case "rate":
      return `the rate of scale-${limit.direction} ${past ? "allowed" : "allows"} ${limit.replicas}`;
    case "minReplicas":
    case "maxReplicas":
      return `${limit.by} is ${limit.replicas}`;
    case "confirm":
      return `one replica stays until zero is confirmed`;
    case "stabilization": {
      const extreme = limit.direction === "up" ? "lowest" : "highest";
      return `${limit.replicas} is the ${extreme} recommendation of the last ${seconds(limit.windowSeconds)}`;
    }
  }
}

function seconds(count: number): string {
  return humanDuration(count * 1000);
}

export function obstacleText({ reason, message }: Obstacle): string {
  switch (reason) {
    case "ScalingDisabled":
      return "left at zero: somebody else scaled it to zero";
    case "TooFewReplicas":
      return "it was below minReplicas";
    case "TooManyReplicas":
      return "it was above maxReplicas";
    case "FailedGetScale":
      return `its scale cannot be read: ${message}`;
    case "FailedUpdateScale":
      return `could not be scaled: ${message}`;
    default:
      return `${reason}: ${message}`;
  }
}
