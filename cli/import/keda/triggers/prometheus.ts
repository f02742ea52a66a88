import { numeric, parameters, type SourceTrigger, type TriggerReader } from "../trigger";

export function prometheus(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationThreshold");
  for (const name of ["customHeaders", "authModes", "unsafeSsl", "identityOwner", "awsRegion"]) {
    if (trigger.text(name) !== undefined) {
      trigger.note(
        name,
        "is not carried over, for it may be or need a secret: credentials belong into one that the entry names",
      );
    }
  }
  return {
    kind: "prometheus",
    parameters: parameters({
      address: trigger.required("serverAddress"),
      query: trigger.required("query"),
      namespace: trigger.text("namespace"),
      queryParameters: trigger.text("queryParameters"),
      timeoutMs: numeric(trigger.text("timeout")),
      // KEDA takes no result for 0 unless told otherwise.
      absent: trigger.flag("ignoreNullValues", true) ? 0 : "error",
    }),
    target: trigger.text("threshold") ?? "",
  };
}
