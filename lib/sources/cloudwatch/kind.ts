import type { SourceKind } from "../kind";
import { openCloudWatchSource } from "./cloudwatch";
import { parseCloudWatchQuery } from "./cloudwatch-query";
import { cloudwatchFields } from "./fields";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  fields: cloudwatchFields,
  parse: parseCloudWatchQuery,
  open: (clients) => openCloudWatchSource(clients.cloudwatch),
};
