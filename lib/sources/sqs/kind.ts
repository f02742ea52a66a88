import type { SourceKind } from "../kind";
import { sqsFields } from "./fields";
import { openSqsSource } from "./sqs";

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  fields: sqsFields,
  open: (clients) => openSqsSource(clients.sqs),
};
