import type { SourceKind } from "../kind";
import { openCloudWatchSource } from "./cloudwatch";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  open: (clients) => openCloudWatchSource(clients.cloudwatch),
};
