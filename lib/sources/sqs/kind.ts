import { cloudwatch } from "../cloudwatch/kind";
import type { SourceKind } from "../kind";
import { openSqsSource } from "./sqs";

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  isApproximate: true,
  open: (ends) => openSqsSource(ends.sqs, { ages: cloudwatch.open(ends) }),
};
