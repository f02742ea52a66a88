import { readFileSync } from "node:fs";
import { join } from "node:path";
import { askEbb } from "../../parity/ask-ebb";
import type { Answer, Case } from "../../parity/case";
import { compare } from "../../parity/compare";
import { rows as explanations } from "../../parity/rows";
import { proofs } from "./parity-proofs";

/**
 * Each row of docs/parity.md holds: upstream's recorded answers and ebb's are the same, or differ as they did when the
 * row was written. `npm run parity` asks upstream again.
 */
interface Recorded extends Case {
  readonly row: string;
  readonly upstream: Answer;
  readonly ebb: Answer;
}

const root = join(__dirname, "../..");
const page = readFileSync(join(root, "docs/parity.md"), "utf8");
const recorded = readFileSync(join(root, "test/vectors/parity.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

function rowsOf(heading: string): readonly string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [table = ""] = section.split("\n## ");
  const lines = table.split("\n").filter((line) => /^\| [^-]/.test(line));
  return lines.slice(1).map((line) => (line.split("|")[1] ?? "").trim().replaceAll("`", ""));
}

const same = ["The same", "What an older cluster says otherwise"].flatMap(rowsOf);
const different = ["Where ebb differs on purpose", "Ahead of upstream"].flatMap(rowsOf);
const casesOf = (row: string) => recorded.filter((one) => one.row === row);

test("the page has its tables, and a row once", () => {
  expect([same.length, different.length]).toEqual([20, 22]);
  expect(new Set([...same, ...different]).size).toBe(42);
});

test.each(same)("the same: %s", async (row) => {
  for (const one of await provenHere(row)) expect(compare(one.upstream, askEbb(one))).toEqual([]);
});

test.each(different)("different: %s", async (row) => {
  for (const one of await provenHere(row)) {
    expect(isSame(one)).toBe(false);
    expect(askEbb(one)).toEqual(one.ebb);
  }
});

/** What upstream answers today: `npm run parity` says when a new version answers otherwise. */
const today: Readonly<Record<string, readonly [row: string, upstream: object]>> = {
  "Pods in phase Succeeded are ignored, as Failed ones": [
    "Pods in phase Succeeded",
    { expect: expect.objectContaining({ desiredReplicas: 4 }) as unknown },
  ],
  "KEP-5679: external.fallback with failureDurationSeconds and replicas": [
    "Fallback",
    { unreadable: expect.stringContaining('unknown field "spec.metrics[0].external.fallback"') as unknown },
  ],
  "KEP-6003: spec.syncPeriodSeconds, 3 to 3600, waited out after each sync": [
    "spec.syncPeriodSeconds",
    { unreadable: expect.stringContaining('unknown field "spec.syncPeriodSeconds"') as unknown },
  ],
};

test.each(rowsOf("What upstream's master will change"))("not before upstream: %s", (row) => {
  const [title = "", upstream] = today[row] ?? [];
  expect(casesOf(title).map((one) => one.upstream)).toContainEqual(upstream);
});

/** Or proven by more than one answer. */
async function provenHere(row: string): Promise<readonly Recorded[]> {
  const cases = casesOf(row);
  const proof = proofs[row];
  expect([row, proof !== undefined || cases.length > 0]).toEqual([row, true]);
  if (proof === undefined) return cases;
  await proof(cases.map(({ upstream }) => upstream));
  return [];
}

/** The words in which something unreadable is refused are no difference to `npm run parity`, and here a row. */
function isSame({ upstream, ebb }: Recorded): boolean {
  return !("unreadable" in upstream) && compare(upstream, ebb).length === 0;
}

test("no case, proof or explanation is of a row that the page does not have", () => {
  const named = [...recorded.map(({ row }) => row), ...Object.keys(proofs), ...explanations.map(({ title }) => title)];
  expect(named.filter((row) => !same.includes(row) && !different.includes(row))).toEqual([]);
});
