import { type MapField, type NumberOrField, type ParameterFields, countField, textField } from "../fields/field";
import { region } from "../fields/aws-fields";
import { variableFields, viaFields, webFields } from "../fields/web-fields";

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
  maxAgeSeconds: countField(1, 86_400),
  sigv4Region: region,
  queryParameters,
  ...webFields,
  ...viaFields,
  ...variableFields,
} satisfies ParameterFields;
