import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readServer } from "../network/server";
import { fillIn } from "../network/template";
import type { WebServer } from "../network/web-client";
import { badParameter } from "../parameters";
import { httpFields } from "./fields";
import { type JsonPath, parseJsonPath } from "./json-path";
import { type PathSample, parseSample } from "./samples";

export interface HttpQuery {
  readonly server: WebServer;
  readonly path: string;
  readonly pick: { readonly json: JsonPath } | { readonly sample: PathSample };
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: a missing number is an error. */
  readonly absent: number | undefined;
}

/** @throws Fault "badEntry" that names the parameter. */
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

/** A placeholder's value stays within its segment or query value. */
function pathOf(template: string, values: Readonly<Record<string, string>>): string {
  const filled = fillIn(template, { parameter: "url", values, encode: encodeURIComponent });
  const [path = ""] = filled.split("?");
  if (path.split("/").some((segment) => segment === "." || segment === ".."))
    throw badParameter("url", "a path without the segments . and ..", path);
  return filled.startsWith("/") ? filled : `/${filled}`;
}
