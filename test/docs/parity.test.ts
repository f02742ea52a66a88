import { readFileSync } from "node:fs";
import { join } from "node:path";
import { askEbb } from "../../parity/ask-ebb";
import type { Answer, Case } from "../../parity/case";
import { compare } from "../../parity/compare";
import { rows as explanations } from "../../parity/rows";

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

/** Rows about more than one answer: the test that fails when the row is no longer true. */
const elsewhere: Readonly<Record<string, readonly [file: string, test: string]>> = {
  "Every version ever served": ["test/k8s/versions.test.ts", "is the v2 object that the API server makes of it"],
  Events: ["test/core/recorded-events.test.ts", "sequence $id"],
  "get, describe, events": ["test/k8s/printing.test.ts", "is described as kubectl describes it"],
  "Recommendations and scale events": ["test/core/history.property.test.ts", "as upstream's list of every"],
  "A conflict when the scale is written": ["test/faults/syncs/crashes.test.ts", "a conflict on the scale"],
  "Latest values": ["test/contract/store/latest.ts", "the latest values"],
  "Full groups of similar events": ["test/sync/events/correlate-events.test.ts", "cut to an event's limit"],
  "autoscaling/v2beta1": ["test/k8s/versions.test.ts", "has targets without a type"],
  "Reasons of sources": ["test/sync/sync-shard.test.ts", "unable to fetch metrics from sqs: "],
  apply: ["test/cli/apply.test.ts", "what apply prints and writes"],
  autoscale: ["test/cli/autoscale.test.ts", "creates an entry, once"],
  version: ["test/cli/version.test.ts", "another minor version is a skew"],
  Fallback: ["test/core/rules/fallback.test.ts", "the condition and the event are KEP-5679's"],
  "Rules of a metric": ["test/core/rules/rules.property.test.ts", "decides as no rules do"],
  "Paused and dry runs": ["test/core/evaluate-entry.test.ts", "Paused"],
};

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
  expect([same.length, different.length]).toEqual([18, 22]);
  expect(new Set([...same, ...different]).size).toBe(40);
});

test.each(same)("the same: %s", (row) => {
  for (const one of provenHere(row)) expect(compare(one.upstream, askEbb(one))).toEqual([]);
});

test.each(different)("different: %s", (row) => {
  for (const one of provenHere(row)) {
    expect(isSame(one)).toBe(false);
    expect(askEbb(one)).toEqual(one.ebb);
  }
});

/** Or proven elsewhere: then that test is there. */
function provenHere(row: string): readonly Recorded[] {
  const cases = casesOf(row);
  if (cases.length > 0) return cases;
  const [file = "", title = ""] = elsewhere[row] ?? [];
  expect({ row, file }).toEqual({ row, file: expect.stringMatching(/^test\//) as string });
  expect(readFileSync(join(root, file), "utf8")).toContain(title);
  return [];
}

/** The words in which something unreadable is refused are no difference to `npm run parity`, and here a row. */
function isSame({ upstream, ebb }: Recorded): boolean {
  return !("unreadable" in upstream) && compare(upstream, ebb).length === 0;
}

test("no case, test or explanation is of a row that the page does not have", () => {
  const named = [
    ...recorded.map(({ row }) => row),
    ...Object.keys(elsewhere),
    ...explanations.map(({ title }) => title),
  ];
  expect(named.filter((row) => !same.includes(row) && !different.includes(row))).toEqual([]);
});
