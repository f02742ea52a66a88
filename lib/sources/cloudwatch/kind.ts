import { type SourceKind, loadKindLazily } from "../kind";
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
