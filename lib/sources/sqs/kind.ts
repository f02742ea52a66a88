import type { SourceKind } from "../kind";
import { openSqsSource } from "./sqs";

export const sqs: SourceKind = {
  name: "sqs",
  isBuiltIn: true,
  isApproximate: true,
  open: (clients) => openSqsSource(clients.sqs),
};
