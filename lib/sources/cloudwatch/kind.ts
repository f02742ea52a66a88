import type { SourceKind } from "../kind";
import { lazily } from "../lazily";
import { keepMs } from "./cloudwatch-query";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  open: ({ cloudwatch }) =>
    lazily(async () => {
      const { openCloudWatchClients, openCloudWatchSource } = await import("./cloudwatch");
      return openCloudWatchSource(openCloudWatchClients(cloudwatch));
    }, keepMs),
};
