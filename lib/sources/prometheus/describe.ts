import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedVariableFields, describedViaFields, describedWebFields } from "../fields/server-fields";
import { isCredentialOfQuery } from "../credentials";
import { prometheusFields, parsePrometheusQuery } from "./prometheus-query";
import { prometheus } from "./kind";
import { type FromKeda, type KedaTrigger, literal, noteAwsCredentials, noteTls, onlySet, timeoutOf } from "../keda";

export const describedPrometheus = describeKind(prometheus, prometheusFields, {
  summary: "The number that an instant query finds in Prometheus, or in a server with its API.",
  parameters: {
    url: "The server's address, without /api/v1/query. Required.",
    query: "PromQL that finds one series. A placeholder ${name} becomes the label var.name. Required.",
    absent: "The value for no series, NaN or infinity. Default error.",
    allowPartial:
      "True: an answer of which the server says that a part is missing counts all the same. Default false: it is an error.",
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

function fromPrometheus(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationThreshold");
  const tenant = trigger.text("cortexOrgID");
  trigger.lost("authModes", "is not carried over: write the credential into a secret, and name it in the entry");
  trigger.secret("bearerToken", "token");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  for (const name of ["customAuthHeader", "customAuthValue"]) trigger.secret(name, "headers");
  noteAwsCredentials(trigger);
  noteTls(trigger, "the server's");
  const custom = trigger.text("customHeaders");
  if (custom !== undefined)
    trigger.note(
      "customHeaders",
      "is not carried over, because it may hold a secret: set headers, or write them into the secret",
      "step",
    );
  const namespace = trigger.text("namespace");
  const queryParameters = { ...queryOf(trigger), ...(namespace !== undefined && { namespace }) };
  return {
    parameters: onlySet({
      url: trigger.required("serverAddress"),
      query: literal(trigger.required("query")),
      sigv4Region: trigger.text("awsRegion"),
      headers: tenant === undefined ? undefined : { "X-Scope-OrgID": tenant },
      queryParameters: Object.keys(queryParameters).length === 0 ? undefined : queryParameters,
      timeoutSeconds: timeoutOf(trigger),
      // By default, KEDA reads an empty result as 0.
      absent: trigger.flag("ignoreNullValues", true) ? 0 : "error",
    }),
    target: trigger.text("threshold") ?? "",
  };
}

function queryOf(trigger: KedaTrigger): Readonly<Record<string, string>> {
  const given = Object.entries(pairs(trigger.text("queryParameters")));
  const lost = given.filter(([name, value]) => isCredentialOfQuery(name, value)).map(([name]) => name);
  if (lost.length > 0)
    trigger.note(
      "queryParameters",
      `is carried over without ${lost.join(", ")}: ebb sends a credential as one of the secret's headers`,
      "credential",
    );
  return Object.fromEntries(given.filter(([name]) => !lost.includes(name)));
}

function pairs(text: string | undefined): Readonly<Record<string, string>> {
  const items = (text ?? "").split(",").filter((item) => item.includes("="));
  return Object.fromEntries(
    items.map((item) => [item.slice(0, item.indexOf("=")).trim(), item.slice(item.indexOf("=") + 1).trim()]),
  );
}
