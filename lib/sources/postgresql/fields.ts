import { type NumberOrField, type ParameterFields, textField } from "../fields/field";
import { tcpFields } from "../fields/tcp-fields";
import { variableFields } from "../fields/web-fields";

const absent: NumberOrField<"error"> = { type: "numberOr", word: "error", expected: "a number or error" };

/** PostgreSQL cuts longer names. */
const name = { expected: "a name of at most 63 characters", pattern: /^[^\0]{1,63}$/ };

export const postgresqlFields = {
  query: textField({
    expected: "one SQL query of at most 4,000 characters, such as SELECT count(*) FROM jobs",
    pattern: /^[^\0]{1,4000}$/,
  }),
  database: textField(name),
  user: textField(name),
  absent,
  ...tcpFields,
  ...variableFields,
} satisfies ParameterFields;
