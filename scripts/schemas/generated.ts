import { configurationPage } from "./configuration-page";
import { publishedSchemas } from "./published";
import { validatorSources } from "./validators";

/**
 * Every file generated from the schemas in lib/k8s/schema and lib/model/schema: contents by path. A test checks that
 * the repository's files are up to date.
 */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    ...under(
      "docs/schema",
      mapValues(publishedSchemas(), (schema) => `${JSON.stringify(schema, null, 2)}\n`),
    ),
    ...under("lib/model/validators", validatorSources()),
    "docs/configuration.md": configurationPage(),
  };
}

function under(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Readonly<Record<string, Mapped>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
