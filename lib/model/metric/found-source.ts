/** Where an External metric is read from, if that is one of our sources. */
export interface FoundSource {
  readonly kind: "source";
  readonly source: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What it is made of, if it is calculated from other sources. */
  readonly operands?: readonly FoundOperand[];
}

/** The metric or its entry is invalid. `from` names which. */
export interface InvalidSource {
  readonly kind: "invalid";
  readonly error: string;
  readonly from: string;
}

export interface FoundOperand {
  readonly name: string;
  readonly metricName: string;
  readonly found: FoundSource | InvalidSource;
}
