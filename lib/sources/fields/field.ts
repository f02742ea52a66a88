/** Labels are text, so a number or a flag may be text too. */
export type ParameterField =
  TextField | ChoiceField | FlagField | NumberField | NumberOrField | MapField | NamedField | ListField | ObjectField;

export type ParameterFields = Readonly<Record<string, ParameterField>>;

export interface TextForm {
  readonly expected: string;
  readonly pattern: RegExp;
}

export interface TextField extends TextForm {
  readonly type: "text";
  /** YAML reads a port as a number. */
  readonly takesNumbers?: true;
}

export interface ChoiceField<Value extends string = string> {
  readonly type: "choice";
  readonly values: readonly Value[];
  readonly expected: string;
}

export interface FlagField {
  readonly type: "flag";
}

/** Both ends are included. */
export interface NumberField {
  readonly type: "number";
  readonly minimum: number;
  readonly maximum: number;
  readonly step?: number;
  readonly exceptions?: readonly number[];
  readonly expected: string;
}

export interface NumberOrField<Word extends string = string> {
  readonly type: "numberOr";
  readonly word: Word;
  readonly expected: string;
}

export interface MapField {
  readonly type: "map";
  readonly name: TextForm;
  readonly value: TextForm;
  readonly expected: string;
}

export interface NamedField extends Pick<MapField, "name" | "value"> {
  readonly type: "named";
  readonly prefix: string;
}

export interface ListField<Of extends ParameterFields = ParameterFields> {
  readonly type: "list";
  readonly of: Of;
  readonly required: readonly (keyof Of & string)[];
  readonly maxItems: number;
  readonly expected: string;
}

export interface ObjectField<Of extends ParameterFields = ParameterFields> extends Omit<
  ListField<Of>,
  "type" | "maxItems"
> {
  readonly type: "object";
}

export type Values<Of extends ParameterFields> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> };

export type ValueOf<One> =
  One extends ChoiceField<infer Value>
    ? Value
    : One extends FlagField
      ? boolean
      : One extends NumberField
        ? number
        : One extends NumberOrField<infer Word>
          ? number | Word
          : One extends MapField | NamedField
            ? Readonly<Record<string, string>>
            : One extends ListField<infer Of>
              ? readonly Values<Of>[]
              : One extends ObjectField<infer Of>
                ? Values<Of>
                : string;

export const textField = (form: TextForm): TextField => ({ type: "text", ...form });

export const flagField: FlagField = { type: "flag" };

export const countField = (minimum: number, maximum: number): NumberField => ({
  type: "number",
  minimum,
  maximum,
  expected: `a whole number from ${minimum} to ${maximum}`,
});

/** The value without data; default "error". */
export const absentField: NumberOrField<"error"> = {
  type: "numberOr",
  word: "error",
  expected: "a number or error",
};

export const wholeText = /^\d{1,9}$/;
export const decimalText = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Keeps a region from being any other part of a host name. */
const regionForm: TextForm = {
  expected: "an AWS region such as eu-west-1",
  pattern: /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/,
};

export const region = textField(regionForm);

export const account = textField({ expected: "an account of 12 digits", pattern: /^\d{12}$/ });
