import { readFileSync } from "node:fs";

/** What KEDA reads for one trigger at one instant, beside the same state of a server. */
export interface ReadingAnswer {
  /** A quantity. Absent: it cannot be read. */
  readonly value?: string;
  readonly active: boolean;
  readonly error?: string;
}

export interface RecordedReading {
  readonly id: string;
  readonly keda: Pick<ReadingAnswer, "value" | "active">;
}

export const readingsFile = "test/vectors/keda-readings.jsonl";

export function readReadings(): ReadonlyMap<string, RecordedReading["keda"]> {
  const lines = readFileSync(readingsFile, "utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => JSON.parse(line) as RecordedReading).map(({ id, keda }) => [id, keda]));
}

export const writtenReadings = (readings: readonly RecordedReading[]) =>
  readings.map((one) => `${JSON.stringify(one)}\n`).join("");

export interface ReadingRow {
  readonly title: string;
  readonly keda: string;
  readonly ebb: string;
}

/** How a number or an activity differs from KEDA's. docs/keda-settings.md lists them. */
export const readingRows = {
  severalRows: {
    title: "Several rows of PostgreSQL",
    keda: "the first one",
    ebb: "an error: let the query say `sum()`",
  },
  scalar: {
    title: "A scalar of Prometheus",
    keda: "cannot be read",
    ebb: "is read; one that is no number counts as absent",
  },
  belowZero: { title: "A number below zero", keda: "0", ebb: "is shown as it is, and counts as 0" },
} as const satisfies Readonly<Record<string, ReadingRow>>;
