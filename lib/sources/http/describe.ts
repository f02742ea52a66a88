import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedVariableFields, describedViaFields, describedWebFields } from "../fields/web-fields";
import { httpFields } from "./fields";
import { parseHttpQuery } from "./http-query";
import { fromMetricsApi } from "./keda";
import { http } from "./kind";

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
