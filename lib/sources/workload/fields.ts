import { absentField, type ParameterFields, textField } from "../fields/field";

const segment = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export const workloadFields = {
  namespace: textField({
    expected: "a namespace such as shop",
    pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  }),
  podSelector: textField({
    expected: "a label selector such as app=producer,tier in (web)",
    pattern: /^[^\0]{1,1000}$/,
  }),
  apiVersion: textField({
    expected: "an API version such as v1 or batch/v1",
    pattern: /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?v[a-z0-9]{1,30}$/,
  }),
  resource: textField({
    expected: "a resource's plural name such as jobs",
    pattern: /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
  }),
  name: textField({ expected: "an object's name such as backfill", pattern: segment }),
  field: textField({ expected: "an RFC 9535 JSONPath such as $.status.active", pattern: /^\$[^\0]{0,500}$/ }),
  absent: absentField,
} satisfies ParameterFields;
