import { describedCloudWatch } from "./cloudwatch/describe";
import type { DescribedKind } from "./description";
import type { KindName } from "./registry";
import { describedSchedule } from "./schedule/describe";
import { describedSqs } from "./sqs/describe";

/** The description of every kind in the registry. */
export const descriptions: Readonly<Record<KindName, DescribedKind>> = {
  sqs: describedSqs,
  cloudwatch: describedCloudWatch,
  schedule: describedSchedule,
};
