import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readServer } from "../network/server";
import { fillIn } from "../network/template";
import type { WebServer } from "../network/web-client";
import { badParameter, decimalOf, quantityOf } from "../parameters";
import { type JsonPath, parseJsonPath } from "./json-path";
import { absentField, type ParameterFields, textField } from "../fields/field";
import { urlOrPath, variableFields, viaFields, webFields } from "../fields/server-fields";
import type { Fault } from "../../model/fault";
import { badAnswer, type FoundValue, textIn } from "../network/as-reading";

/** The sample may have more labels. */
interface PathSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const line =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\})?[ \t]+(\S+)(?:[ \t]+\S+)?(?:[ \t]+#.*)?$/;

const label = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:\\.|[^"\\])*)"\s*(,|$)/y;

export const httpFields = {
  url: urlOrPath("an address such as https://stats.example.com/queues/${queue}, or with via a path"),
  path: textField({ expected: "an RFC 9535 JSONPath such as $.queues.orders.depth", pattern: /^\$[^\0]{0,500}$/ }),
  metric: textField({
    expected: 'a Prometheus sample such as queue_depth{queue="orders"}',
    pattern: /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^\0]{0,500}\})?$/,
  }),
  absent: absentField,
  ...webFields,
  ...viaFields,
  ...variableFields,
} satisfies ParameterFields;

export interface HttpQuery {
  readonly server: WebServer;
  readonly path: string;
  readonly pick: { readonly json: JsonPath } | { readonly sample: PathSample };
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: a missing number is an error. */
  readonly absent: number | undefined;
}

/** @throws Fault "badEntry". */
export function parseHttpQuery({ parameters }: SourceQuery, addresses: AddressRules = onThisMachine): HttpQuery {
  const values = readParameters(httpFields, parameters);
  const { path, metric, absent, headers = {}, vars, "var.<name>": ownVars } = values;
  const [, origin = "", below = ""] = /^(https?:\/\/[^/?]+)?(.*)$/s.exec(requiredText(httpFields, values, "url")) ?? [];
  if ((path === undefined) === (metric === undefined))
    throw badParameter("path", "path (for JSON) or metric (for Prometheus text), and not both", path);
  return {
    server: readServer(origin, values, addresses),
    path: pathOf(below, { ...vars, ...ownVars }),
    pick: path === undefined ? { sample: parseSample(metric ?? "") } : { json: parseJsonPath(path) },
    headers,
    absent: absent === "error" ? undefined : absent,
  };
}

/** As browsers send it: a request line has no other characters than ASCII. */
function encodeCharacter(character: string): string {
  return Buffer.from(character)
    .toString("hex")
    .replace(/../g, (byte) => `%${byte.toUpperCase()}`);
}

/** A placeholder's value stays within its segment or query value. */
function pathOf(template: string, values: Readonly<Record<string, string>>): string {
  const filled = fillIn(template, { parameter: "url", values, encode: encodeURIComponent });
  const [path = ""] = filled.split("?");
  if (path.split("/").some((segment) => segment === "." || segment === ".."))
    throw badParameter("url", "a path without the segments . and ..", path);
  const ascii = filled.replace(/[^\x21-\x7e]/gu, encodeCharacter);
  return ascii.startsWith("/") ? ascii : `/${ascii}`;
}

/**
 * `queue_depth{queue="orders"}`
 * @throws Fault "badEntry".
 */
function parseSample(text: string): PathSample {
  const [, name = "", inner = ""] = /^([^{]+)(?:\{(.*)\})?$/s.exec(text) ?? [];
  const labels = parseLabels(inner);
  if (labels === undefined) throw badParameter("metric", 'labels such as {queue="orders",state="ready"}', text);
  return { name, labels };
}

function parseLabels(text: string): Readonly<Record<string, string>> | undefined {
  const labels: Record<string, string> = {};
  for (label.lastIndex = 0; label.lastIndex < text.length;) {
    if (text.slice(label.lastIndex).trim() === "") return labels;
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    labels[name] = value.replace(/\\(.)/g, (_whole, char: string) => (char === "n" ? "\n" : char));
  }
  return labels;
}

/** @throws Fault "badAnswer" for a value that is no finite number. */
export function samplesIn(body: Buffer, { name, labels }: PathSample): readonly FoundValue[] {
  const wanted = Object.entries(labels);
  return textIn(body)
    .split("\n")
    .flatMap((text) => {
      if (!text.startsWith(name)) return [];
      const [, found, inner = "", value = "NaN"] = line.exec(text.trimEnd()) ?? [];
      if (found === undefined && !/^[\w:]/.test(text.slice(name.length))) throw notUnderstood(name, "without a value");
      if (found !== name) return [];
      const has = parseLabels(inner);
      if (has === undefined) throw notUnderstood(name, "with other labels");
      if (!wanted.every(([key, expected]) => Object.hasOwn(has, key) && has[key] === expected)) return [];
      const number = decimalOf(value);
      if (number === undefined || !Number.isFinite(number))
        throw badAnswer(`expected a finite number for ${name}, got ${value.slice(0, 40)}`);
      return [{ value: quantityOf(number), labels: has }];
    });
}

function notUnderstood(name: string, what: string): Fault {
  return badAnswer(`expected samples in Prometheus text format, got a line of ${name} ${what}`);
}
