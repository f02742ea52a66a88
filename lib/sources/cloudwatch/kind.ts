import type { SourceKind } from "../kind";
import { loadKindLazily } from "../load-kind-lazily";
import { keepMs, settleMs } from "./cloudwatch-query";

export const cloudwatch: SourceKind = {
  name: "cloudwatch",
  isBuiltIn: true,
  settleMs,
  open: ({ cloudwatch }) =>
    loadKindLazily(async () => {
      const { openCloudWatchClients, openCloudWatchSource } = await import("./cloudwatch");
      return openCloudWatchSource(openCloudWatchClients(cloudwatch));
    }, keepMs),
};
