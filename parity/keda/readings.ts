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
  rabbitmqAverage: { title: "An average of RabbitMQ queues", keda: "is rounded down", ebb: "is exact" },
  kafkaCap: {
    title: "A Kafka lag just above `lagThreshold` for each partition",
    keda: "counts whole, if it is less than one `lagThreshold` more: one replica has no partition",
    ebb: "counts `lagThreshold` for each partition",
  },
  belowZero: { title: "A number below zero", keda: "0", ebb: "is shown as it is, and counts as 0" },
  growing: {
    title: "A sum of CloudWatch",
    keda: "counts as soon as its period ends, though it may still grow",
    ebb: "counts 60 seconds later, as `SampleCount` and trimmed sums do, unless `metricEndTimeOffset` says otherwise",
  },
} as const satisfies Readonly<Record<string, ReadingRow>>;

/** How the activity of a cron trigger differs. */
export const cronRows = {
  alternation: {
    title: "A cron trigger whose starts and ends do not alternate",
    keda: "is active while the next end comes before the next start",
    ebb: "from a start until the next end",
  },
  spring: {
    title: "A cron time that spring skips",
    keda: "does not come on that day, so a window stays open or closed until the next one",
    ebb: "the first instant after the gap",
  },
  autumn: {
    title: "A cron time that autumn shows twice",
    keda: "comes twice; where the clock is set back by half an hour, that day's times may be left out",
    ebb: "the first of both",
  },
  sunday: { title: "Sunday as 7 in a cron trigger", keda: "is refused", ebb: "is Sunday" },
} as const satisfies Readonly<Record<string, ReadingRow>>;
