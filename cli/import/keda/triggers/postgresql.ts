import { numeric, parameters, type SourceTrigger, type TriggerReader } from "../trigger";

export function postgresql(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationTargetQueryValue");
  for (const name of ["password", "connection"]) {
    if (trigger.text(name) !== undefined)
      trigger.note(name, "is not carried over: put it into a secret that the entry names");
  }
  return {
    kind: "postgresql",
    parameters: parameters({
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
