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
