import type { BilledRead } from "./billed";
import type { ParameterFields } from "./fields/field";
import { type Descriptions, schemaOf } from "./fields/field-schema";
import type { FromKeda, KedaTrigger } from "./keda";
import type { SourceQuery } from "../model/ports/sources";
import type { SourceKind } from "./kind";
import type { Row } from "../model/advice";
import type { GivenParameters } from "./parameters";

/** A right that the function's role needs, as a statement of infra/roles.yml. */
export interface IamStatement {
  readonly Sid: string;
  readonly Action: string | readonly string[];
  readonly Resource: string;
}

/** A query that could not be read, and the entry of the cluster that asked. */
export interface UnreadParameter {
  readonly cluster: string;
  readonly parameters: GivenParameters;
}

interface Description<Of extends ParameterFields> {
  /** One line: what is read. */
  readonly summary: string;
  readonly parameters: Descriptions<Of>;
  /** What a query asks for. Throws a Fault "badEntry" that names the parameter. */
  readonly parse: (query: SourceQuery) => object;
  /** Rules of an entry's parameters beyond the form of each. Throws a Fault "badEntry". */
  readonly check?: (parameters: GivenParameters) => void;
  /** The minimum of parameters to read a metric. */
  readonly example: GivenParameters;
  /** How much of the example's value is for one replica. Default: 5. */
  readonly averageValue?: string;
  /** What to check when a read fails. Absent: only its parameters can make a read fail. */
  readonly advice?: Row<UnreadParameter>;
  readonly iam: readonly IamStatement[];
  /** What AWS bills for a read of the query. Absent: nothing. Throws a Fault "badEntry". */
  readonly billedByAws?: (query: SourceQuery) => readonly BilledRead[];
  /** KEDA's triggers that this kind reads, by type. */
  readonly keda: Readonly<Record<string, (trigger: KedaTrigger) => FromKeda>>;
}

/** What people write and read of a kind of metric source, and the rights that it needs. A function does not load it. */
export interface DescribedKind extends Omit<Description<ParameterFields>, "parameters">, Omit<SourceKind, "open"> {
  readonly fields: ParameterFields;
  /** The JSON Schema of its parameters. */
  readonly parameters: object;
}

/** `fields` are the kind's own. Their type requires a description of each. */
export function describeKind<Of extends ParameterFields>(
  { name, isBuiltIn, operands }: Omit<SourceKind, "open">,
  fields: Of,
  { parameters, ...description }: Description<Of>,
): DescribedKind {
  const whole = { title: name, description: `${description.summary} docs/sources/${name}.md` };
  const schema = schemaOf(fields, parameters, whole);
  return { ...description, name, isBuiltIn, fields, parameters: schema, ...(operands !== undefined && { operands }) };
}
