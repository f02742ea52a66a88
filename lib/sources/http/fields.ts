import { absentField, type ParameterFields, textField } from "../fields/field";
import { urlOrPath, variableFields, viaFields, webFields } from "../fields/web-fields";

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
