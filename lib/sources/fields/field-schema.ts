import {
  type ParameterField,
  type ParameterFields,
  type ListField,
  type MapField,
  type NamedField,
  type ObjectField,
  decimalText,
  wholeText,
} from "./field";

export type Descriptions<Of extends ParameterFields> = {
  readonly [Name in keyof Of]: Of[Name] extends ListField<infer Element>
    ? ListDescription<Descriptions<Element>>
    : Of[Name] extends ObjectField<infer Element>
      ? ObjectDescription<Descriptions<Element>>
      : string;
};

interface ListDescription<Of> {
  readonly description: string;
  readonly element: ObjectDescription<Of>;
}

interface ObjectDescription<Of> extends Titled {
  readonly of: Of;
}

interface Titled {
  readonly title: string;
  readonly description: string;
}

type AnyDescriptions = {
  readonly [name: string]: string | ListDescription<AnyDescriptions> | ObjectDescription<AnyDescriptions>;
};

export function schemaOf<Of extends ParameterFields>(
  fields: Of,
  descriptions: Descriptions<Of>,
  whole: Titled,
): object {
  return objectSchema(fields, descriptions, whole);
}

function objectSchema(
  fields: ParameterFields,
  descriptions: AnyDescriptions,
  whole: Titled,
  more: object = {},
): object {
  const properties: Record<string, object> = {};
  const patternProperties: Record<string, object> = {};
  for (const [name, field] of Object.entries(fields)) {
    const said = descriptions[name];
    if (field.type === "named" && typeof said === "string") {
      patternProperties[prefixed(field)] = { ...textSchema(field.value), title: name, description: said };
    } else if (field.type === "list" && typeof said === "object" && "element" in said) {
      properties[name] = listSchema(field, said);
    } else if (field.type === "object" && typeof said === "object" && "of" in said) {
      const { of, required, expected: errorMessage } = field;
      properties[name] = objectSchema(of, said.of, said, { required, errorMessage });
    } else if (field.type !== "named" && field.type !== "list" && field.type !== "object") {
      properties[name] = { description: said, ...formSchema(field) };
    } else {
      throw new Error(`expected a description of ${name} that fits its form, ${field.type}`);
    }
  }
  return {
    type: "object",
    ...more,
    properties,
    ...(Object.keys(patternProperties).length > 0 && { patternProperties }),
    additionalProperties: false,
    title: whole.title,
    description: whole.description,
  };
}

function listSchema(
  { of, required, maxItems, expected }: ListField,
  { description, element }: ListDescription<AnyDescriptions>,
): object {
  const items = objectSchema(of, element.of, element, { required, errorMessage: "an object" });
  return { description, type: "array", items, maxItems, errorMessage: expected };
}

/** Takes text where a label would hold a number; read-fields.ts checks the number in it. */
function formSchema(field: Exclude<ParameterField, ListField | NamedField | ObjectField>): object {
  switch (field.type) {
    case "text": {
      const schema = textSchema(field);
      return field.takesNumbers === true ? { ...schema, type: ["string", "integer"] } : schema;
    }
    case "choice":
      return { type: "string", enum: field.values, errorMessage: field.expected };
    case "flag":
      return { enum: [true, false, "true", "false"], errorMessage: "true or false" };
    case "number": {
      const { minimum, maximum, step, exceptions, expected } = field;
      const range = { type: "integer", ...(step !== undefined && { multipleOf: step }), minimum, maximum };
      const number = exceptions === undefined ? range : { anyOf: [{ enum: exceptions }, range] };
      return { anyOf: [number, { type: "string", pattern: wholeText.source }], errorMessage: expected };
    }
    case "numberOr": {
      const { word, expected } = field;
      const text = { type: "string", pattern: decimalText.source };
      return { anyOf: [{ type: "number" }, { const: word }, text], errorMessage: expected };
    }
    case "map":
      return mapSchema(field);
  }
}

function textSchema({ pattern, expected }: MapField["value"]): object {
  return { type: "string", pattern: pattern.source, errorMessage: expected };
}

function mapSchema({ name, value, expected }: MapField): object {
  const patternProperties = { [name.pattern.source]: textSchema(value) };
  return { type: "object", patternProperties, additionalProperties: false, errorMessage: expected };
}

function prefixed({ prefix, name }: NamedField): string {
  return `^${prefix.replaceAll(".", "\\.")}${name.pattern.source.replace(/^\^/, "")}`;
}
