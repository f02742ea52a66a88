/**
 * A parameter of a metric source, declared once: to read it, to check an entry, and for the editors' schema.
 * A label is always text, so a number or a flag may be text too. Descriptions are elsewhere: a function does not load
 * them.
 */
export type ParameterField =
  TextField | ChoiceField | FlagField | NumberField | NumberOrField | MapField | NamedField | ListField | ObjectField;

export type ParameterFields = Readonly<Record<string, ParameterField>>;

/** The form that a text must have, and how messages describe it: "an AWS region such as eu-west-1". */
export interface TextForm {
  readonly expected: string;
  readonly pattern: RegExp;
}

export interface TextField extends TextForm {
  readonly type: "text";
  /** A whole number is its digits, as YAML reads a port. */
  readonly takesNumbers?: true;
}

/** One of a known set of texts. */
export interface ChoiceField<Value extends string = string> {
  readonly type: "choice";
  readonly values: readonly Value[];
  readonly expected: string;
}

export interface FlagField {
  readonly type: "flag";
}

/** A whole number in a range, both ends included. */
export interface NumberField {
  readonly type: "number";
  readonly minimum: number;
  readonly maximum: number;
  /** Only multiples of this. */
  readonly step?: number;
  /** Values that are allowed despite the range and the step. */
  readonly exceptions?: readonly number[];
  readonly expected: string;
}

/** Any number, or one word. */
export interface NumberOrField<Word extends string = string> {
  readonly type: "numberOr";
  readonly word: Word;
  readonly expected: string;
}

/** Names and texts. */
export interface MapField {
  readonly type: "map";
  readonly name: TextForm;
  readonly value: TextForm;
  readonly expected: string;
}

/** Texts by names that share a prefix, as labels give what an entry gives as a map: `dimension.QueueName: orders`. */
export interface NamedField extends Pick<MapField, "name" | "value"> {
  readonly type: "named";
  readonly prefix: string;
}

/** Objects of fields of their own. */
export interface ListField<Of extends ParameterFields = ParameterFields> {
  readonly type: "list";
  readonly of: Of;
  readonly required: readonly (keyof Of & string)[];
  readonly maxItems: number;
  readonly expected: string;
}

/** One object of fields of its own. */
export interface ObjectField<Of extends ParameterFields = ParameterFields> extends Omit<
  ListField<Of>,
  "type" | "maxItems"
> {
  readonly type: "object";
}

/** What a source reads. Each is optional: labels may set what an entry does not. */
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

/** The value of what is not there; "error" is the default. */
export const absentField: NumberOrField<"error"> = {
  type: "numberOr",
  word: "error",
  expected: "a number or error",
};

/** A number as a label spells it: a whole one, and any. */
export const wholeText = /^\d{1,9}$/;
export const decimalText = /^-?\d{1,15}(\.\d{1,15})?$/;
