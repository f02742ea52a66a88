import { isMap } from "../../lib/k8s/map";
import { isFault } from "../../lib/model/fault";
import type { SourceQuery } from "../../lib/model/ports/sources";
import type { DescribedKind } from "../../lib/sources/description";
import { failure } from "../shell/failure";

type Given = Readonly<Record<string, string>>;

/** A list or a map is JSON. @throws Failure */
export function parametersOf({ fields }: DescribedKind, given: Given): SourceQuery["parameters"] {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return [name, field !== undefined && ["list", "map", "object"].includes(field.type) ? parsed(name, text) : text];
    }),
  );
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failure(`parameter ${name}: expected JSON, got ${JSON.stringify(text)}`);
  }
}

export function parameterProblem(kind: DescribedKind, parameters: SourceQuery["parameters"]): string | undefined {
  try {
    kind.check?.(parameters);
    kind.parse({ metricName: kind.name, parameters });
    return undefined;
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    return error.message;
  }
}

export function parameterHelp({ name, parameters, example }: DescribedKind): readonly string[] {
  const { properties } = parameters as { readonly properties?: unknown };
  const described = Object.entries(isMap(properties) ? properties : {});
  const width = Math.max(...described.map(([parameter]) => parameter.length));
  const lines = described.map(([parameter, schema]) => {
    const text = isMap(schema) && typeof schema["description"] === "string" ? schema["description"] : "";
    return `  ${parameter.padEnd(width)}  ${text.split("\n")[0] ?? ""}`;
  });
  const labels = Object.entries(example).map(([parameter, value]) => quoted(`${parameter}=${textOf(value)}`));
  return [
    `${name} takes these parameters (docs/sources/${name}.md):`,
    ...lines,
    // eslint-disable-next-line no-restricted-syntax -- how to call the command, as a refusal says it
    `for example: ebb read ${[name, ...labels].join(" ")}`,
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function quoted(word: string): string {
  return /^[\w=.,:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
