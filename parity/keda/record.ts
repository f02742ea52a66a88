import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { explainStory } from "./compare-stories";
import { generateStories } from "./generate-stories";
import { hpaDifferences } from "./compare-hpa";
import { hashOf, type RecordedAnswer, recordingFile, writeRecording } from "./recording";
import { type CronAnswer, cronFile, type CronRecording, cronRowOf, readCron } from "./cron-readings";
import { generateCrons } from "./generate-crons";
import type { ReadingAnswer } from "./readings";
import { kedaRules } from "./rules";
import { generateSettings } from "./generate-settings";
import { importSettings, type RecordedSettings, settingsFile, writeSettings } from "./setting-answers";
import { isAsTold, settingRowOf } from "./setting-rows";
import type { Story, Told } from "./story";

/**
 * `npm run keda:record`: asks KEDA's own code about the stories and cron triggers of a seed and about triggers'
 * settings, and writes its answers down. Prints how many stories each row explains. Exits with 1 if ebb differs in a
 * way that no row explains, and then does not write those answers.
 */
const seed = 35;
const count = 1_000;
const cronCount = 500;

/** Kept beside the program: a row that was added needs no new answers. */
function ask<Expect>(recorder: string, kind: string, given: readonly object[]): readonly Expect[] {
  const kept = `dist/parity/${basename(recorder)}-${hashOf(given)}.jsonl`;
  if (!existsSync(kept)) {
    const input = given.map((one) => `${JSON.stringify({ kind, given: one })}\n`).join("");
    const { stdout, status } = spawnSync(recorder, {
      ...{ input, encoding: "utf8", maxBuffer: 2 ** 30 },
      stdio: ["pipe", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`${recorder} ended with status ${status}`);
    writeFileSync(kept, stdout);
  }
  const lines = readFileSync(kept, "utf8").trimEnd().split("\n");
  if (lines.length !== given.length) throw new Error(`${recorder} answered ${lines.length} questions: delete ${kept}`);
  return lines.map((line, index) => {
    const answer = JSON.parse(line) as { readonly expect?: Expect };
    if (answer.expect === undefined) throw new Error(`${kind} ${index}: ${line}`);
    return answer.expect;
  });
}

function explained(story: Story, told: Told, index: number): RecordedAnswer | undefined {
  const found = explainStory(story, told);
  const differences = hpaDifferences(story, told);
  if ("rows" in found && differences.length === 0) return { told, rows: found.rows.map(({ title }) => title) };
  for (const difference of differences) console.log(`story ${index}: ${difference}`);
  if ("replayed" in found)
    console.log(
      `story ${index}: not by the rules of keda-loop.ts: ${JSON.stringify({ ...found, story: story.object })}`,
    );
  if ("ours" in found) {
    const { instant, ours } = found;
    const { from, told: theirs, step } = instant;
    console.log(`story ${index}, instant ${found.index}: from ${from}, ${JSON.stringify(step)}`);
    console.log(`  KEDA ${JSON.stringify(theirs)}, ebb ${JSON.stringify({ size: ours.size, worked: ours.worked })}`);
    for (const { stage, replicas, because } of ours.decision.steps) console.log(`  ${stage} ${replicas}: ${because}`);
    console.log(`  ${JSON.stringify(story.object)}`);
  }
  return undefined;
}

async function recordCrons(recorder: string, keda: string): Promise<number> {
  const cases = generateCrons(seed, cronCount);
  const questions = cases.map((one) => ({ type: "cron", ...one }));
  const told = ask<ReadingAnswer>(recorder, "reading", questions).map(cronAnswerOf);
  const unexplained: string[] = [];
  for (const [index, one] of cases.entries()) {
    const [theirs, ours] = [told[index] as CronAnswer, await readCron(one)];
    if (theirs !== ours && cronRowOf(one, theirs) === undefined)
      unexplained.push(`cron ${JSON.stringify(one)}: KEDA ${theirs}, ebb ${ours}`);
  }
  for (const line of unexplained) console.log(line);
  if (unexplained.length > 0) return 1;
  const recording: CronRecording = { seed, hash: hashOf(cases), keda, answers: told.join("") };
  writeFileSync(cronFile, `${JSON.stringify(recording)}\n`);
  return 0;
}

function cronAnswerOf({ value, active }: ReadingAnswer): CronAnswer {
  if (value === undefined) return "x";
  if (value !== (active ? "7" : "0")) throw new Error(`expected 7 while it is active, else 0, got ${value}`);
  return active ? "1" : "0";
}

function recordSettings(recorder: string): number {
  const cases = generateSettings();
  const questions = cases.map(({ asked }) => asked);
  const answers = ask<RecordedSettings["told"]>(recorder, "settings", questions);
  const recorded = cases.map((one, index): RecordedSettings => ({ ...one, told: answers[index] ?? {} }));
  const unexplained = recorded.filter((one) => {
    const ours = importSettings(one.asked);
    return !isAsTold(one, ours) && settingRowOf(one, ours) === undefined;
  });
  for (const one of unexplained) console.log(JSON.stringify({ ...one, ours: importSettings(one.asked).problems }));
  if (unexplained.length > 0) return 1;
  writeFileSync(settingsFile, writeSettings(recorded));
  return 0;
}

function recordSteps(recorder: string, keda: string): number {
  const stories = generateStories(seed, count);
  const told = ask<Told>(recorder, "scaled-object", stories);
  const answers = stories.flatMap((story, index) => explained(story, told[index] as Told, index) ?? []);
  const counts = new Map<string, number>();
  for (const { rows } of answers) {
    for (const title of rows.length === 0 ? ["(equal in every step)"] : rows)
      counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  for (const [title, many] of counts) console.log(`${String(many).padStart(5)} ${title}`);
  if (answers.length < count) return 1;
  writeFileSync(recordingFile, writeRecording({ seed, hash: hashOf(stories), keda, answers }));
  return 0;
}

/** Functions that KEDA has renamed or moved. */
function findRules(sources: string): number {
  const lost = kedaRules.flatMap(({ rule, file, functions }) => {
    const text = readFileSync(join(sources, file), "utf8");
    const missing = functions.filter((name) => !new RegExp(`^func (\\(.*?\\) )?${name}\\(`, "m").test(text));
    return missing.map((name) => `${file} has no ${name}: "${rule}" in parity/keda/rules.ts names it`);
  });
  for (const line of lost) console.log(line);
  return lost.length === 0 ? 0 : 1;
}

async function main([recorder = "", keda = "", sources = ""]: readonly string[]): Promise<number> {
  if (findRules(sources) !== 0) return 1;
  return Math.max(await recordCrons(recorder, keda), recordSettings(recorder), recordSteps(recorder, keda));
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
