import { numeric, onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";

export function postgresql(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationTargetQueryValue");
  for (const name of ["password", "connection"]) {
    if (trigger.text(name) !== undefined)
      trigger.note(name, "is not carried over: put it into a secret, and name that in the entry");
  }
  return {
    kind: "postgresql",
    parameters: onlySet({
      host: trigger.text("host"),
      port: numeric(trigger.text("port")),
      user: trigger.text("userName"),
      database: trigger.text("dbName"),
      sslmode: trigger.text("sslmode"),
      query: trigger.required("query"),
    }),
    target: trigger.text("targetQueryValue") ?? "",
  };
}
