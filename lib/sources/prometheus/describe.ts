import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedVariableFields, describedViaFields, describedWebFields } from "../fields/web-fields";
import { prometheusFields } from "./fields";
import { fromPrometheus } from "./keda";
import { prometheus } from "./kind";
import { parsePrometheusQuery } from "./prometheus-query";

export const describedPrometheus = describeKind(prometheus, prometheusFields, {
  summary: "The number that an instant query finds in Prometheus, or in a server with its API.",
  parameters: {
    url: "The server's address, without /api/v1/query. Required.",
    query: "PromQL that finds one series. A placeholder ${name} becomes the label var.name. Required.",
    absent: "The value for no series, NaN or infinity. Default error.",
    maxAgeSeconds: "The greatest age of the sample of a plain selector. Default: the server's five minutes.",
    sigv4Region: "The region of a workspace of Amazon Managed Service for Prometheus, which the function's role reads.",
    queryParameters: "More parameters of the query API, such as dedup of Thanos.",
    ...describedWebFields,
    ...describedViaFields,
    ...describedVariableFields,
  },
  parse: parsePrometheusQuery,
  example: { url: "https://prometheus.example.com", query: "sum(jobs_waiting)" },
  advice: row`check that the address answers and that the query finds one number (promtool query instant <url> <query>); for sigv4Region, that ebb's roles allow aps:QueryMetrics`,
  iam: [
    {
      Sid: "QueryWorkspaces",
      Action: "aps:QueryMetrics",
      Resource: "${file(infra/params.cjs):workspaceArns}",
    },
  ],
  keda: { prometheus: fromPrometheus },
});
