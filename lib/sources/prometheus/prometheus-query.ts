import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readServer } from "../network/server";
import { fillIn } from "../network/template";
import type { WebServer } from "../network/web-client";
import { badParameter } from "../parameters";
import { prometheusFields } from "./fields";
import { encodePromql, freshOnly } from "./promql";

export interface PrometheusQuery {
  readonly server: WebServer;
  /** PromQL with its placeholders filled. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParameters: Readonly<Record<string, string>>;
  /** Undefined: no finite number is an error. */
  readonly absent: number | undefined;
}

/** Amazon Managed Service for Prometheus. Signed requests go nowhere else. */
const workspaceHost = /^aps-workspaces(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)$/;

/** @throws Fault "badEntry" that names the parameter. */
export function parsePrometheusQuery(
  { parameters }: SourceQuery,
  addresses: AddressRules = onThisMachine,
): PrometheusQuery {
  const values = readParameters(prometheusFields, parameters);
  const {
    absent,
    maxAgeSeconds,
    sigv4Region,
    headers = {},
    queryParameters = {},
    vars,
    "var.<name>": ownVars,
  } = values;
  const template = requiredText(prometheusFields, values, "query");
  const filled = fillIn(template, { parameter: "query", values: { ...vars, ...ownVars }, encode: encodePromql });
  const url = values.via === undefined ? requiredText(prometheusFields, values, "url") : (values.url ?? "");
  const server = readServer(url, values, addresses);
  const { hostname } = server.endpoint.url;
  if (sigv4Region !== undefined && values.secret !== undefined)
    throw badParameter("sigv4Region", "sigv4Region or secret, not both", sigv4Region);
  if (sigv4Region !== undefined && !workspaceHost.test(hostname))
    throw badParameter("url", "a host such as aps-workspaces.eu-west-1.amazonaws.com for signed requests", hostname);
  return {
    server: { ...server, ...(sigv4Region !== undefined && { sigv4: { region: sigv4Region, service: "aps" } }) },
    query: maxAgeSeconds === undefined ? filled : freshOnly(filled, maxAgeSeconds),
    headers,
    queryParameters,
    absent: absent === "error" ? undefined : absent,
  };
}
