import { numeric, onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";

export function prometheus(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationThreshold");
  for (const name of ["customHeaders", "authModes", "unsafeSsl", "identityOwner", "awsRegion"]) {
    if (trigger.text(name) !== undefined) {
      trigger.note(
        name,
        "is not carried over, because it may hold a secret: put credentials into a secret, and name it in the entry",
      );
    }
  }
  return {
    kind: "prometheus",
    parameters: onlySet({
      address: trigger.required("serverAddress"),
      query: trigger.required("query"),
      namespace: trigger.text("namespace"),
      queryParameters: trigger.text("queryParameters"),
      timeoutMs: numeric(trigger.text("timeout")),
      // By default, KEDA reads an empty result as 0.
      absent: trigger.flag("ignoreNullValues", true) ? 0 : "error",
    }),
    target: trigger.text("threshold") ?? "",
  };
}
