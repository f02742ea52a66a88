import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readReadings, readingRows, cronRows } from "../../parity/keda/readings";
import { rows } from "../../parity/keda/rows";
import { kedaRules } from "../../parity/keda/rules";
import { settingRows } from "../../parity/keda/setting-rows";
import { settingsPage } from "../cli/keda-settings/settings-page";

const root = join(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const recordings = ["steps", "HPAs", "crons", "settings"];
const kinds = new Set([...readReadings().keys()].map((id) => `readings ${id.split(" ")[0]}`));

test.each(kedaRules)("a case holds the rule: $rule", ({ here, heldBy }) => {
  expect(existsSync(join(root, here))).toBe(true);
  expect(recordings.includes(heldBy) || kinds.has(heldBy) || read(heldBy).includes("test")).toBe(true);
});

test("every kind with readings has a rule", () => {
  const held = new Set(kedaRules.map(({ heldBy }) => heldBy));
  expect([...kinds].filter((kind) => !held.has(kind))).toEqual([]);
});

const sources = ["cli/set-up/import/keda", "lib/core", "lib/sources", "parity/keda"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`),
);

test("every function of KEDA that a comment names is in the table of its rules", () => {
  const named = sources.flatMap((path) =>
    [
      ...read(path).matchAll(/((?:\w+, )*\w+(?:,? and (?:its )?\w+)?) \(((?:pkg|controllers|apis)\/[\w/]+\.go)/g),
    ].flatMap(([, names = "", file = ""]) =>
      names
        .split(/, |,? and (?:its )?/)
        .filter((name) => /[a-z][A-Z]/.test(name))
        .map((name) => `${file} ${name}`),
    ),
  );
  const known = new Set(kedaRules.flatMap(({ file, functions }) => functions.map((name) => `${file} ${name}`)));
  expect(named.length).toBeGreaterThan(15);
  expect([...new Set(named)].filter((one) => !known.has(one))).toEqual([]);
});

test.each([...rows, ...Object.values(readingRows), ...Object.values(cronRows), ...settingRows])(
  "the migration page lists the difference: $title",
  ({ title, keda, ebb }) => {
    expect(read(settingsPage)).toContain(`- **${title}.** KEDA: ${keda}. ebb: ${ebb}.\n`);
  },
);
