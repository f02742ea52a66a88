import type { SourceKind } from "../kind";
import { lazily } from "../lazily";
import { keepMs, settleMs } from "./cloudwatch-query";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  settleMs,
  open: ({ cloudwatch }) =>
    lazily(async () => {
      const { openCloudWatchClients, openCloudWatchSource } = await import("./cloudwatch");
      return openCloudWatchSource(openCloudWatchClients(cloudwatch));
    }, keepMs),
};
