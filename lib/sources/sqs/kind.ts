import { cloudwatch } from "../cloudwatch/kind";
import type { SourceKind } from "../kind";
import { openSqsSource } from "./sqs";

/** GetQueueAttributes: "at least 1 minute after the producers stop sending messages". */
const sqsSettleMs = 60_000;

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  settleMs: () => sqsSettleMs,
  open: (deps) => openSqsSource(deps.sqs, { ages: cloudwatch.open(deps) }),
};
