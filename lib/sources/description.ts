import type { ParameterFields } from "./fields/field";
import { type Descriptions, schemaOf } from "./fields/field-schema";
import type { FromKeda, KedaTrigger } from "./keda";
import type { SourceQuery } from "../model/ports/sources";
import type { SourceKind } from "./kind";
import type { Row } from "../model/advice";
import type { GivenParameters } from "./parameters";

export interface IamStatement {
  readonly Sid: string;
  readonly Action: string | readonly string[];
  readonly Resource: string;
}

export interface UnreadParameter {
  readonly cluster: string;
  readonly parameters: GivenParameters;
}

interface Description<Of extends ParameterFields> {
  readonly summary: string;
  readonly parameters: Descriptions<Of>;
  /** @throws Fault "badEntry". */
  readonly parse: (query: SourceQuery) => object;
  /** @throws Fault "badEntry". */
  readonly check?: (parameters: GivenParameters) => void;
  readonly example: GivenParameters;
  /** Default: 5. */
  readonly averageValue?: string;
  /** Absent: only its parameters can make a read fail. */
  readonly advice?: Row<UnreadParameter>;
  readonly iam: readonly IamStatement[];
  /**
   * Absent: AWS bills nothing.
   * @throws Fault "badEntry".
   */
  readonly billedByAws?: (query: SourceQuery) => readonly BilledRead[];
  readonly keda: Readonly<Record<string, (trigger: KedaTrigger) => FromKeda>>;
}

/** Functions do not load it. */
export interface DescribedKind extends Omit<Description<ParameterFields>, "parameters">, Omit<SourceKind, "open"> {
  readonly fields: ParameterFields;
  readonly parameters: object;
}

export function describeKind<Of extends ParameterFields>(
  { name, isBuiltIn, operands }: Omit<SourceKind, "open">,
  fields: Of,
  { parameters, ...description }: Description<Of>,
): DescribedKind {
  const whole = { title: name, description: `${description.summary} docs/sources/${name}.md` };
  const schema = schemaOf(fields, parameters, whole);
  return { ...description, name, isBuiltIn, fields, parameters: schema, ...(operands !== undefined && { operands }) };
}

export type BilledUnit = "SQS request" | "CloudWatch metric";

export interface BilledRead {
  /** In the bill's words: "queue", "metric". */
  readonly what: string;
  readonly unit: BilledUnit;
  /** Equal keys count once: HPAs share the read. */
  readonly key: string;
  /** 0: it is read in every slot. */
  readonly keptSeconds: number;
  /** Set if only the server knows how many there are. */
  readonly isLeast?: true;
  readonly loweredBy?: string;
}
