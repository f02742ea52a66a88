import type { ImportOptions } from "./import-context";

interface Takeover {
  readonly compare: string;
  readonly stop: string;
}

/** The rest of a takeover from another controller. */
export function handOver(options: ImportOptions, { compare, stop }: Takeover): readonly string[] {
  const steps = [...dryRunSteps(options), `compare: ${compare}`, stop, "ebb dry-run hpa NAME off"];
  return steps.map((step, index) => `  ${index + 1}. ${step}`);
}

const dryRun = "they decide and record, and write no scale";

function dryRunSteps({ apply, dryRunFirst }: ImportOptions): readonly string[] {
  if (apply === true)
    return dryRunFirst === true
      ? [`the entries are in the table as a dry run: ${dryRun}`]
      : ["ebb dry-run hpa NAME on, now: the entries are in the table, and they write scales already"];
  return dryRunFirst === true
    ? [`apply the entries as they are printed, a dry run: ${dryRun}`]
    : [`import again with --dry-run-first, and apply what that prints: as a dry run, ${dryRun}`];
}
