import type { SourceKind } from "../kind";
import { sqsFields } from "./fields";
import { openSqsSource } from "./sqs";
import { parseSqsQuery } from "./sqs-query";

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  fields: sqsFields,
  parse: parseSqsQuery,
  open: (clients) => openSqsSource(clients.sqs),
};
