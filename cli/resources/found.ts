/** One object as it was found in the table, ready to be printed. */
export interface Found {
  readonly cluster: string;
  /** Absent for what lives in no namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As `-o json` shows it. */
  readonly object: object;
  /** The cells of its row, in the order of its resource's columns; the wide ones when they differ. */
  readonly row: readonly string[];
  readonly wideRow?: readonly string[];
}
