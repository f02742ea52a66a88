import { readFileSync } from "node:fs";
import { firstMismatch } from "../../parity/keda/compare-stories";
import { hpaDifferences } from "../../parity/keda/compare-hpa";
import { generateStories } from "../../parity/keda/generate-stories";
import { hashOf, readRecording, recordingFile } from "../../parity/keda/recording";
import { rows } from "../../parity/keda/rows";
import type { Story } from "../../parity/keda/story";
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
