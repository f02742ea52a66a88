import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readServer } from "../network/server";
import { fillIn, type Encode } from "../network/template";
import type { WebServer } from "../network/web-client";
import { badParameter } from "../parameters";
import {
  type MapField,
  type NumberOrField,
  type ParameterFields,
  countField,
  flagField,
  textField,
  region,
} from "../fields/field";
import { variableFields, viaFields, webFields } from "../fields/server-fields";

const numberOrDuration = /^\d+(\.\d+)?$|^(\d+(ms|[smhdwy]))+$/;

/** Without functions, operators and ranges: `jobs{queue="orders"}`. */
const selector =
  /^\s*([a-zA-Z_:][\w:]*\s*(\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)*\})?|\{([^"'`{}]|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`[^`]*`)+\})\s*$/;

const absent: NumberOrField<"error"> = { type: "numberOr", word: "error", expected: "a number or error" };

const queryParameters: MapField = {
  type: "map",
  name: { expected: "a parameter of the query API", pattern: /^(?!query$|time$)[A-Za-z_][\w.-]{0,62}(\[\])?$/ },
  value: { expected: "a text of at most 500 characters", pattern: /^[^\0]{0,500}$/ },
  expected: "an object of names and texts, which only a SOURCE entry can hold",
};

export const prometheusFields = {
  url: textField({
    expected: "an address such as https://prometheus.example.com, without /api/v1/query, or with via a path",
    pattern: /^(https?:\/\/[^\s/?#]+)?(\/[^\s?#]*)?$/,
  }),
  query: textField({ expected: "a PromQL expression of at most 5,000 characters", pattern: /^[^\0]{1,5000}$/ }),
  absent,
  allowPartial: flagField,
  maxAgeSeconds: countField(1, 86_400),
  sigv4Region: region,
  queryParameters,
  ...webFields,
  ...viaFields,
  ...variableFields,
} satisfies ParameterFields;

export interface PrometheusQuery {
  readonly server: WebServer;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParameters: Readonly<Record<string, string>>;
  /** Undefined: no finite number is an error. */
  readonly absent: number | undefined;
  readonly allowPartial: boolean;
}

/** Signed requests go nowhere else. */
const workspaceHost = /^aps-workspaces(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)$/;

/** @throws Fault "badEntry". */
export function parsePrometheusQuery(
  { parameters }: SourceQuery,
  addresses: AddressRules = onThisMachine,
): PrometheusQuery {
  const values = readParameters(prometheusFields, parameters);
  const {
    absent,
    allowPartial = false,
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
    allowPartial,
  };
}

/**
 * Keeps a value one value: a string literal escapes it, and a pattern (=~, !~) matches it alone. Outside of quotes, it
 * may be a number or a duration. https://prometheus.io/docs/prometheus/latest/querying/basics/#string-literals
 */
export const encodePromql: Encode = (value, { before, name }) => {
  const { quote, isPattern } = quotingAfter(before);
  if (quote === undefined) {
    if (numberOrDuration.test(value)) return value;
    throw badParameter(`var.${name}`, "a number or a duration, because the placeholder is outside of quotes", value);
  }
  if (quote === "#") throw badParameter("query", `no placeholder \${${name}} in a comment`, undefined);
  if (quote === "`")
    throw badParameter("query", `double quotes around \${${name}}, because backquotes have no escapes`, undefined);
  return escaped(isPattern ? value.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&") : value, quote);
};

/** The other quote must not be escaped. `\x` writes a byte, so other characters stay. */
function escaped(value: string, quote: string): string {
  return value
    .replace(/\\/g, "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(/\p{Cc}/gu, (char) => (char <= "\x7f" ? `\\x${hex(char)}` : char));
}

const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0");

function quotingAfter(text: string): { readonly quote: string | undefined; readonly isPattern: boolean } {
  let quote: string | undefined;
  let opened = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === undefined) {
      if (/["'`#]/.test(char)) [quote, opened] = [char, at];
    } else if (quote === "#") {
      if (char === "\n") quote = undefined;
    } else if (char === "\\" && quote !== "`") at += 1;
    else if (char === quote) quote = undefined;
  }
  return { quote, isPattern: /[=!]~\s*$/.test(text.slice(0, opened)) };
}

/** @throws Fault "badEntry" for anything but a plain selector. */
function freshOnly(query: string, maxAgeSeconds: number): string {
  if (!selector.test(query))
    throw badParameter(
      "maxAgeSeconds",
      "a query that is a plain selector; in an expression, write last_over_time(metric[1m]) for each metric",
      maxAgeSeconds,
    );
  // A stale series is gone, even if its last sample is recent.
  return `last_over_time(${query.trim()}[${maxAgeSeconds}s]) and ${query.trim()}`;
}
