/** What AWS bills reads of metrics by. */
export type BilledUnit = "SQS request" | "CloudWatch metric";

/** Something that a query reads each time, and that AWS bills. */
export interface BilledRead {
  /** As the bill counts it: "queue", "metric". */
  readonly what: string;
  readonly unit: BilledUnit;
  /** Within a kind, reads with equal keys are one: HPAs share it. */
  readonly key: string;
  /** How long a reading is kept. 0: it is read in every slot. */
  readonly keptSeconds: number;
  /** Whether the server alone knows how many there are. */
  readonly isLeast?: true;
  /** What lowers its cost, beside a longer sync period. */
  readonly loweredBy?: string;
}
