import { readFileSync } from "node:fs";
import { type CronAnswer, cronFile, type CronRecording, cronRowOf, readCron } from "../../parity/keda/cron-readings";
import { generateCrons } from "../../parity/keda/generate-crons";
import { cronRows } from "../../parity/keda/readings";
import { hashOf } from "../../parity/keda/recording";
import { kedaVersion } from "../../scripts/servers/keda.mjs";

/** What KEDA's own cron scaler answered at one instant each: `npm run keda:record` asks again. */
const { seed, hash, keda, answers } = JSON.parse(readFileSync(cronFile, "utf8")) as CronRecording;
const cases = generateCrons(seed, answers.length).map((one, index) => ({ one, told: answers[index] as CronAnswer }));

test("the cases are those of the recording: else run npm run keda:record", () => {
  expect([hash, keda, answers.length]).toEqual([hashOf(cases.map(({ one }) => one)), kedaVersion, 500]);
});

test("an imported cron trigger is active when KEDA's is, but for the listed differences", async () => {
  const rows = new Set<string>();
  const unexplained: object[] = [];
  for (const { one, told } of cases) {
    const ours = await readCron(one);
    if (ours === told) continue;
    const row = cronRowOf(one, told);
    if (row === undefined) unexplained.push({ ...one, told, ours });
    else rows.add(row.title);
  }
  expect(unexplained).toEqual([]);
  const listed = Object.values(cronRows).map(({ title }) => title as string);
  expect([...rows].sort()).toEqual(listed.sort());
});

test("another answer of KEDA is a difference, except where the clock is set", () => {
  const other = { "1": "0", "0": "1", x: "1" } as const;
  const accepted = cases.map(({ one, told }) => cronRowOf(one, other[told])).filter((row) => row !== undefined);
  expect(accepted.filter((row) => row !== cronRows.spring && row !== cronRows.autumn)).toEqual([]);
});
