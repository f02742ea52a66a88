import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { rows } from "./rows";
import type { Told, ToldStep } from "./story";

/** KEDA's answers to the stories of one seed: a line that says which, then one line for each story. */
export interface Recording {
  readonly seed: number;
  /** Of the stories, which only their generator has. */
  readonly hash: string;
  readonly keda: string;
  readonly answers: readonly RecordedAnswer[];
}

export interface RecordedAnswer {
  readonly told: Told;
  /** Titles of the rows that explain how ebb's steps differ. */
  readonly rows: readonly string[];
}

export function hashOf(stories: readonly object[]): string {
  return createHash("sha256").update(JSON.stringify(stories)).digest("hex").slice(0, 16);
}

type Flat = readonly [polled: number, size: number, worked: number, inTurn: number, inSync: number];

export const recordingFile = "test/vectors/keda-steps.jsonl.gz";

export function writeRecording({ answers, ...head }: Recording): Buffer {
  const lines = answers.map(({ told: { hpa, steps }, rows: titles }) =>
    JSON.stringify({
      hpa,
      rows: titles.map((title) => rows.findIndex((row) => row.title === title)),
      steps: steps.map(flat),
    }),
  );
  const text = [JSON.stringify(head), ...lines].map((line) => `${line}\n`).join("");
  return gzipSync(text, { level: 9 });
}

export function readRecording(): Recording {
  const [first = "", ...lines] = gunzipSync(readFileSync(recordingFile)).toString("utf8").trimEnd().split("\n");
  const head = JSON.parse(first) as Omit<Recording, "answers">;
  const answers = lines.map((line) => {
    const { hpa, rows: used, steps } = JSON.parse(line) as { hpa: Told["hpa"]; rows: number[]; steps: Flat[] };
    return { told: { hpa, steps: steps.map(unflat) }, rows: used.map((index) => rows[index]?.title ?? "") };
  });
  return { ...head, answers };
}

function flat({ polled, size, worked, fallback }: ToldStep): Flat {
  return [polled, size, Number(worked), ...fallback];
}

function unflat([polled, size, worked, ...fallback]: Flat): ToldStep {
  return { polled, size, worked: worked === 1, fallback };
}
