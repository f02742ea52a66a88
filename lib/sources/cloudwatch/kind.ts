import type { SourceKind } from "../kind";
import { openCloudWatchSource } from "./cloudwatch";
import { cloudwatchFields } from "./fields";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  fields: cloudwatchFields,
  open: (clients) => openCloudWatchSource(clients.cloudwatch),
};
