import type { SourceKind } from "../kind";
import { openSqsSource } from "./sqs";

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  open: (clients) => openSqsSource(clients.sqs),
};
