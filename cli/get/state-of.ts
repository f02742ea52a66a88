import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { EpochMs } from "../../lib/k8s/time";
import { isPaused, readOperations } from "../../lib/model/entry/annotations";

/** What a wide table says of an HPA at a glance: `AT-MAX,DRY-RUN`, or "-" for nothing special. */
export function stateOf({ metadata, status = {} }: HorizontalPodAutoscaler, now: EpochMs): string {
  const operations = readOperations(metadata);
  if ("errors" in operations) return "FAILING";
  if (isPaused(operations, now)) return "PAUSED";
  const { conditions = [], currentReplicas = 0 } = status;
  const is = (type: string, given: string) => conditions.find((one) => one.type === type && one.status === given);
  // ScalingDisabled: somebody else scaled the target to zero, which is no failure.
  const failed = [is("AbleToScale", "False"), is("ScalingActive", "False")].find(
    (condition) => condition !== undefined && condition.reason !== "ScalingDisabled",
  );
  const signs = [
    failed !== undefined && "FAILING",
    conditions.length > 0 && failed === undefined && currentReplicas === 0 && "AT-ZERO",
    is("ScalingLimited", "True")?.reason === "TooManyReplicas" && "AT-MAX",
    operations.dryRun && "DRY-RUN",
  ];
  return signs.filter((sign) => sign !== false).join(",") || "-";
}

/** What a plain table says of an HPA that a pause or a dry run keeps from scaling: `<paused>`; undefined: nothing. */
export function operationOf({ metadata }: HorizontalPodAutoscaler, now: EpochMs): string | undefined {
  const operations = readOperations(metadata);
  if ("errors" in operations) return undefined;
  if (isPaused(operations, now)) return "<paused>";
  return operations.dryRun ? "<dry-run>" : undefined;
}
