import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

/** metrics-api: KEDA finds the value by a gjson path. One of names and indexes alone becomes a JSONPath. */
export function fromMetricsApi(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetValue");
  const location = trigger.required("valueLocation") ?? "";
  const format = trigger.text("format") ?? "json";
  if (format !== "json" && format !== "prometheus")
    trigger.note("format", `has no equal for ${format}: ebb reads json and prometheus`);
  if (trigger.text("authMode") !== undefined)
    trigger.note(
      "authMode",
      "is not carried over: write the credential into a secret and name it in spec.parameters.secret",
    );
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", "is not carried over: set certificateAuthorityData to the server's CA");
  return {
    parameters: onlySet({
      url: trigger.required("url"),
      ...(format === "prometheus" ? { metric: location } : { path: jsonPath(trigger, location) }),
    }),
    target: trigger.text("targetValue") ?? "1",
  };
}

/** components.worker.tasks.0 → $.components.worker.tasks[0] */
function jsonPath(trigger: KedaTrigger, location: string): string {
  if (!/^[\w-]+(\.[\w-]+)*$/.test(location))
    trigger.note("valueLocation", "is a gjson path: check the JSONPath that it became");
  const steps = location.split(".").map((step) => (/^\d+$/.test(step) ? `[${step}]` : `[${JSON.stringify(step)}]`));
  return `$${steps.join("")}`;
}
