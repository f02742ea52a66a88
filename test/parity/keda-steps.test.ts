import { readFileSync } from "node:fs";
import { firstMismatch, firstUnruled } from "../../parity/keda/compare-stories";
import { hpaDifferences } from "../../parity/keda/compare-hpa";
import { generateStories } from "../../parity/keda/generate-stories";
import { hashOf, readRecording, recordingFile } from "../../parity/keda/recording";
import { rows } from "../../parity/keda/rows";
import type { Story, Told, ToldStep } from "../../parity/keda/story";
import { kedaVersion } from "../../scripts/servers/keda.mjs";

const { seed, hash, keda, answers } = readRecording();
const stories = generateStories(seed, answers.length);
const numbered = stories.map((story, index) => ({ index, story, answer: answers[index]! }));
/** Replaying all of them takes ten times as long. */
const share = 8;
const replayed = numbered.filter(({ index }) => index % share === 0);

const mismatchOf = ({ story, answer: { told, rows: titles } }: (typeof numbered)[number]) =>
  firstMismatch(
    story,
    told,
    rows.filter(({ title }) => titles.includes(title)),
  );

test(`the stories are those of ${recordingFile}, which has at most a megabyte: else run npm run keda:record`, () => {
  expect([hash, keda, answers.length]).toEqual([hashOf(stories), kedaVersion, 1_000]);
  expect(readFileSync(recordingFile).length).toBeLessThan(1_000_000);
});

test("an imported object takes KEDA's steps, but for the listed differences", () => {
  const unexplained = replayed.flatMap((one) => {
    const found = mismatchOf(one);
    if (found === undefined) return [];
    const { from, told } = found.instant;
    return [{ story: one.index, instant: found.index, from, keda: told, ebb: found.ours.size }];
  });
  expect(unexplained).toEqual([]);
});

test("its HPA is the one that KEDA makes", () => {
  expect(replayed.flatMap(({ story, answer }) => hpaDifferences(story, answer.told))).toEqual([]);
});

test("every listed difference is in the recording, and most stories need none", () => {
  const used = new Set(answers.flatMap((answer) => answer.rows));
  expect([...used].sort()).toEqual(rows.map(({ title }) => title).sort());
  expect(answers.filter((answer) => answer.rows.length === 0).length).toBeGreaterThan(600);
});

test("KEDA's steps are those that its rules lead to, as keda-loop.ts has them", () => {
  expect(replayed.flatMap(({ story, answer }) => firstUnruled(story, answer.told) ?? [])).toEqual([]);
});

/** Stories that need the row, with the first instant that does. */
const explainedBy = (title: string, count: number) =>
  numbered
    .filter(({ answer }) => answer.rows.includes(title))
    .slice(0, count)
    .map(({ story, answer: { told, rows: titles } }) => {
      const others = rows.filter((row) => row.title !== title && titles.includes(row.title));
      return { story, told, index: firstMismatch(story, told, others)?.index ?? -1 };
    });

const withStep = (told: Told, index: number, change: (step: ToldStep) => Partial<ToldStep>): Told => ({
  ...told,
  steps: told.steps.map((step, at) => (at === index ? { ...step, ...change(step) } : step)),
});

test.each(rows)("a wrong step of KEDA is refused where this row explains: $title", ({ title }) => {
  const explained = explainedBy(title, 2);
  expect(explained.length).toBeGreaterThan(0);
  for (const { story, told, index } of explained) {
    const refused = (change: (step: ToldStep) => Partial<ToldStep>) =>
      firstUnruled(story, withStep(told, index, change))?.index;
    expect(refused(({ size }) => ({ size: size + 1 }))).toBe(index);
    expect(refused(({ size }) => ({ size: size === 0 ? 2 : size - 1 }))).toBe(index);
    expect(refused(({ polled }) => ({ polled: polled + 1, size: polled + 1 }))).toBe(index);
    expect(refused(({ worked }) => ({ worked: !worked }))).toBe(index);
  }
});

test.each(rows)("another import is a difference where this row explains: $title", ({ title }) => {
  const stories = numbered.filter(({ answer }) => answer.rows.includes(title)).slice(0, 5);
  const found = [0.2, 2].flatMap((factor) =>
    stories.flatMap(({ story, answer }) => mismatchOf({ index: 0, answer, story: withTargets(story, factor) }) ?? []),
  );
  expect(found).not.toEqual([]);
});

function withTargets(story: Story, factor: number): Story {
  const text = JSON.stringify(story.object.spec);
  const other = text.replace(/"(target|targetValue|value)":"([\d.]+)"/g, (_, name: string, value: string) => {
    return `"${name}":"${factor * Number(value)}"`;
  });
  return { ...story, object: { ...story.object, spec: JSON.parse(other) as Story["object"]["spec"] } };
}

test("another step of KEDA, or another activity, is a difference", () => {
  const mayBeZero = ({ object: { spec, metadata } }: Story) =>
    spec["minReplicaCount"] === undefined && metadata["annotations"] === undefined && spec.triggers[0]!.type !== "cpu";
  const one = replayed.find(({ answer, story }) => answer.rows.length === 0 && mayBeZero(story))!;
  const changed = (change: object) => {
    const steps = one.answer.told.steps.map((step, index) => (index === 20 ? { ...step, ...change } : step));
    return mismatchOf({ ...one, answer: { ...one.answer, told: { ...one.answer.told, steps } } })?.index;
  };
  const { size, worked } = one.answer.told.steps[20]!;
  expect(changed({ size: size + 1 })).toBe(20);
  expect(changed({ worked: !worked })).toBe(20);
  expect(changed({})).toBeUndefined();
});

test("without its row, a story that needs one differs", () => {
  const needing = replayed.filter(({ answer }) => answer.rows.length === 1);
  expect(needing.length).toBeGreaterThan(10);
  for (const { story, answer } of needing) expect(firstMismatch(story, answer.told, [])).toBeDefined();
});
