import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedVariableFields, describedViaFields, describedWebFields } from "../fields/server-fields";
import { httpFields, parseHttpQuery } from "./http-query";
import { jsonPathOf } from "./gjson-path";
import { http } from "./kind";
import { type FromKeda, type KedaTrigger, literal, noteTls, onlySet, timeoutOf } from "../keda";

export const describedHttp = describeKind(http, httpFields, {
  summary: "A number in a JSON document or in Prometheus text, by HTTP.",
  parameters: {
    url: "The document's address. A placeholder ${name} becomes the label var.name. Required.",
    path: "For JSON: where the number is, as an RFC 9535 JSONPath.",
    metric: "For Prometheus text: the sample's name and labels.",
    absent: "The value if the document does not have it. Default error.",
    ...describedWebFields,
    ...describedViaFields,
    ...describedVariableFields,
  },
  parse: parseHttpQuery,
  example: { url: "https://stats.example.com/queues/orders", path: "$.depth" },
  advice: row`check that the address answers (curl), and that path or metric finds the number in the answer`,
  iam: [],
  keda: { "metrics-api": fromMetricsApi },
});

export function fromMetricsApi(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetValue");
  const location = trigger.required("valueLocation") ?? "";
  const format = trigger.text("format") ?? "json";
  const isRead = format === "json" || format === "prometheus";
  const found = format === "json" && location !== "" ? jsonPathOf(location) : undefined;
  const isFound = found === undefined || "path" in found;
  if (!isFound) trigger.note("valueLocation", found.problem, "held");
  else if (found?.onlyFirst === true)
    trigger.note("valueLocation", "finds every match, which ebb adds up: KEDA takes the first", "size");
  if (!isRead) trigger.note("format", `has no equal for ${format}: ebb reads json and prometheus`, "held");
  const isOfEach = trigger.flag("aggregateFromKubeServiceEndpoints", false);
  if (isOfEach)
    trigger.note(
      "aggregateFromKubeServiceEndpoints",
      "has no equal: ebb would read one pod of the service. Read a Prometheus that scrapes all of them",
      "held",
    );
  trigger.lost("aggregationType", "is not carried over: ebb reads one address", "size");
  trigger.lost("authMode", "is not carried over: write the credential into a secret, and name it in the entry");
  const method = trigger.text("method");
  const where = method === "query" ? "has no equal for query: ebb sends a credential" : "is header: ebb sends it";
  if (method !== undefined)
    trigger.note("method", `${where} as one of the secret's headers`, method === "query" ? "credential" : "step");
  trigger.lost("keyParamName", "is not carried over: it is the name of the header in the secret");
  trigger.secret("apiKey", "headers");
  trigger.secret("token", "token");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  noteTls(trigger, "the server's");
  return {
    ...((!isRead || isOfEach || !isFound) && { kind: "metrics-api" }),
    parameters: onlySet({
      url: literal(trigger.required("url")),
      timeoutSeconds: timeoutOf(trigger),
      ...(format === "prometheus" ? { metric: location } : { path: isFound ? found?.path : location }),
    }),
    target: trigger.text("targetValue") ?? "1",
  };
}
