import { generateSettings } from "../../../parity/keda/generate-settings";
import {
  importSettings,
  readSettings,
  type RecordedSettings,
  targetOfKeda,
} from "../../../parity/keda/setting-answers";
import { isAsTold, settingRowOf, settingRows } from "../../../parity/keda/setting-rows";
import { severalSettings } from "../../../parity/keda/several-settings";

/** What KEDA's own scalers said about triggers' settings: `npm run keda:record` asks again. */
const recorded = readSettings();
const all = recorded.map((one) => ({ one, ours: importSettings(one.asked) }));
const keyOf = ({ asked, changed }: Pick<RecordedSettings, "asked" | "changed">) => JSON.stringify({ asked, changed });
const shown = ({ asked: { type, metricType, isOperand }, changed }: RecordedSettings) =>
  JSON.stringify({ type, metricType, isOperand, changed });

test("the settings are those of the recording: else run npm run keda:record", () => {
  expect(recorded.map(keyOf)).toEqual(generateSettings().map(keyOf));
});

test("the import refuses what KEDA refuses, and has its targets, but for the listed differences", () => {
  const unexplained: object[] = [];
  const used = new Set<string>();
  for (const { one, ours } of all) {
    const row = isAsTold(one, ours) ? undefined : settingRowOf(one, ours);
    if (row !== undefined) used.add(row.title);
    else if (!isAsTold(one, ours)) unexplained.push({ asked: shown(one), told: one.told, ours: ours.problems });
  }
  expect(unexplained).toEqual([]);
  expect([...used].sort()).toEqual(settingRows.map(({ title }) => title).sort());
});

const severalOf = ({ asked: { type } }: RecordedSettings) =>
  new Set((severalSettings[type] ?? []).map(([changed]) => JSON.stringify(changed)));

test("a refusal names the setting", () => {
  const single = all.filter(({ one, ours }) => ours.problems.length > 0 && Object.keys(one.changed).length < 2);
  const vague = single.filter(({ one, ours: { problems } }) => {
    const { changed } = one;
    const [name = "metricType"] = Object.keys(changed);
    // KEDA calls several addresses address, too.
    return !problems.join("\n").includes(name.replace(/es$/, "")) && !severalOf(one).has(JSON.stringify(changed));
  });
  expect(vague.map(({ one, ours }) => [shown(one), ours.problems])).toEqual([]);
});

const several = Object.entries(severalSettings).flatMap(([type, rows]) =>
  rows.map(([changed, ebb]) => {
    const found = all.find(({ one }) => one.asked.type === type && shown(one) === JSON.stringify({ type, changed }));
    return { type, changed: JSON.stringify(changed), ebb, keda: found?.one.told.error ?? "nothing", ours: found?.ours };
  }),
);

test.each(several)("$type $changed: KEDA says $keda", ({ ebb, ours }) => {
  if (ebb === "") expect(ours?.problems).toEqual([]);
  else expect(ours?.problems.join("\n")).toContain(`metadata.${ebb}`);
});

test("no row explains another answer of KEDA", () => {
  const imported = all.filter(({ one, ours }) => isAsTold(one, ours) && ours.problems.length === 0);
  const target = { type: "AverageValue", averageValue: "4321" } as const;
  const explained = imported.flatMap(({ one, ours }) => {
    const others = [
      { ...one, told: { error: "another" } },
      ...(one.asked.isOperand ? [] : [{ ...one, told: { target } }]),
    ];
    return others.filter((other) => isAsTold(other, ours) || settingRowOf(other, ours) !== undefined);
  });
  expect(explained.map(shown)).toEqual([]);
  const refused = all.filter(({ one }) => targetOfKeda(one) === undefined);
  expect([imported.length, refused.length].every((count) => count > 1_500)).toBe(true);
});
