import { cronRows, type ReadingRow, readingRows } from "../../../parity/keda/readings";
import { rows } from "../../../parity/keda/rows";
import { settingRows } from "../../../parity/keda/setting-rows";
import { fieldOutcomes, type Outcome } from "./field-outcomes";

export const settingsPage = "docs/keda-settings.md";

const opening = `# KEDA's settings

<!-- Made by \`npm run docs\`: it converts each setting that KEDA 2.20 documents. -->

What becomes of each setting. [Migrate from KEDA](how-to/migrate-from-keda.md) has the steps.

- \`a\` → \`b\`: the import writes it as \`b\`. Without an arrow or a remark, a setting keeps its name.
- \`activation\` and \`fallback\` are [rules of the metric](metrics.md#rules-of-a-metric), and \`target\` is the metric's.
- "auth" names settings of a TriggerAuthentication.
- Any other trigger becomes a source that nothing reads yet: the HPA never scales down.`;

/** `npm run keda:record` holds ebb to this list. */
const steps = `## Where the steps differ

KEDA's own scale loop and the HPA that it makes were asked about 1,000 generated ScaledObjects, at 50 instants each ([decision 0093](decisions/0093-keda-as-the-referee.md)). An imported object takes the same steps, but for these:

${listOf([...rows, ...Object.values(readingRows), ...Object.values(cronRows)])}

## What is refused

KEDA's own scalers were asked about every setting without a value, and with others. The import refuses what they refuse, and gives the HPA their target, but for these:

${listOf(settingRows.filter(({ title }) => title !== cronRows.sunday.title))}`;

function listOf(differences: readonly ReadingRow[]): string {
  return differences.map(({ title, keda, ebb }) => `- **${title}.** KEDA: ${keda}. ebb: ${ebb}.`).join("\n");
}

/** Every documented setting of KEDA, from what the import does with it. Settings with one outcome share a line. */
export function kedaSettings(outcomes = fieldOutcomes()): string {
  const lines = outcomes.map(({ rows, ...group }) => ({
    ...group,
    lines: rows.map((row) => lineOf(row, group.title)),
  }));
  const all = lines.flatMap((group) => group.lines);
  const isShared = ({ text, says }: Line) =>
    isGeneral(says) || (says !== "" && all.filter((other) => other.text === text).length >= 3);
  const shared = all.filter((line, at) => isShared(line) && all.findIndex(({ text }) => text === line.text) === at);
  const sections = lines.map(({ title, kind, lines: own }) =>
    section(`## ${title}`, [readBy(kind), ...listed(own.filter((line) => !isShared(line)))]),
  );
  const [ofScaledObject = "", ...others] = sections;
  const ofMany = section("## Settings of many triggers", listed(shared));
  return `${[opening, ofScaledObject, steps, ofMany, ...others].join("\n\n")}\n`;
}

const readBy = (kind?: string) => (kind === undefined ? "" : `Becomes [${kind}](sources/${kind}.md).`);
const section = (head: string, parts: readonly string[]) => [head, ...parts].filter(Boolean).join("\n\n");

interface Line {
  /** The setting, in code. */
  readonly name: string;
  /** The triggers that have it, if not all of the section. */
  readonly whose: string;
  readonly isAuthenticated: boolean;
  readonly becomes: string;
  readonly says: string;
  /** All of it: what two settings with the same line have in common, and their name. */
  readonly text: string;
}

function lineOf({ field, becomes, says }: Outcome, section: string): Line {
  const isAuthenticated = field.includes(" (TriggerAuthentication)");
  const [, setting = "", whose = ""] = /^(.*?)( \([^)]*\))?$/.exec(field.replace(" (TriggerAuthentication)", "")) ?? [];
  // The sample of a TriggerAuthentication gives a password or a username by each of its ways.
  const own = section === "TriggerAuthentication" ? ["password", "username"] : [setting.replace(/FromEnv$/, "")];
  const said = says.flatMap((text) => shortened(text, own));
  // A source that nothing reads has none of the entry's fields.
  const written = said.includes(unreadSource) ? [] : becomes;
  const paths = inWords(written.map((path) => (/[ ']/.test(path) ? `the ${path}` : code(path))));
  const line = {
    name: code(setting),
    whose,
    isAuthenticated,
    becomes: paths === code(setting) ? "" : paths,
    says: said.map((text) => escaped(withoutValue(text, setting))).join("; "),
  };
  const ofAll = isGeneral(line.says) ? { ...line, whose: "", becomes: "" } : line;
  return { ...ofAll, text: JSON.stringify(ofAll) };
}

/** Of a setting by a variable or a TriggerAuthentication: the same for every trigger. */
const isGeneral = (says: string) => ["write it into the entry", "put it into a secret"].includes(says);

const unreadSource = "the HPA never scales down";

/** Without what every setting of its kind has: where the value was, and its own name. */
function shortened(text: string, own: readonly string[]): readonly string[] {
  if (text.startsWith("has a credential and tls: false")) return [];
  if (text.startsWith("needs a source of kind")) return [unreadSource];
  return [
    text
      .replace(
        /^was (?:in|the (?:container's )?environment variable|a token of) .+?: (?=put|write|the|tls|for|it|ebb|an)/,
        "",
      )
      .replace(/^was (?:aws|aws-eks|azure-workload|gcp): /, "")
      .replace(/write the value of (\w+) into the entry/, (all, name: string) => {
        return own.includes(name) ? "write it into the entry" : all;
      })
      .replace(/put it into a secret as (\w+), and name that in the entry/, (_, name: string) => {
        return own.includes(name) ? "put it into a secret" : `put it into a secret as ${name}`;
      }),
  ];
}

/** "is not carried over", "was prefer: …", "has no equal for xml: …": the line names the value already. */
function withoutValue(text: string, setting: string): string {
  const [, value = ""] = /: (\S+)$/.exec(setting) ?? [];
  const short = text.replace(/^(?:it )?is not /, "not ").replace(/^has no equal/, "no equal");
  return value === "" ? short : short.replace(`was ${value}: `, "").replace(` for ${value}: `, ": ");
}

/** First what is carried over as it is; then each outcome with the settings that have it. */
function listed(lines: readonly Line[]): readonly string[] {
  const plain = grouped(
    lines.filter(({ says }) => says === ""),
    ({ becomes }) => becomes,
  ).map(([becomes, those]) => (becomes === "" ? namesOf(those) : `${namesOf(those)} → ${becomes}`));
  const outcomes = grouped(
    lines.filter(({ says }) => says !== ""),
    ({ says }) => says,
  ).map(([says, those]) => {
    const ofAuth = those.filter(({ isAuthenticated }) => isAuthenticated);
    const others = those.filter(({ isAuthenticated }) => !isAuthenticated);
    return `- ${[namesOf(others), ofAuth.length === 0 ? "" : `auth ${namesOf(ofAuth)}`].filter(Boolean).join("; ")}: ${says}`;
  });
  return [plain.join("; "), outcomes.join("\n")].filter(Boolean);
}

/** With the triggers that have them once, after their last. */
function namesOf(lines: readonly Line[]): string {
  const groups = grouped(lines, ({ whose }) => whose);
  return groups.map(([whose, those]) => `${[...new Set(those.map(({ name }) => name))].join(", ")}${whose}`).join(", ");
}

function grouped(
  lines: readonly Line[],
  keyOf: (line: Line) => string,
): readonly (readonly [string, readonly Line[]])[] {
  const keys = [...new Set(lines.map(keyOf))];
  return keys.map((key) => [key, lines.filter((line) => keyOf(line) === key)] as const);
}

const inWords = (names: readonly string[]) =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

const code = (text: string) => `\`${text}\``;

function escaped(text: string): string {
  return text.replace(/[<*[\]]/g, "\\$&");
}
