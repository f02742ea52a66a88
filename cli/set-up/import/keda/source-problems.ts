import { type Problem, problemText, shown } from "../../../../lib/model/check/problem";
import { isFault } from "../../../../lib/model/fault";
import { parameterProblems } from "../../../../lib/sources/fields/read-fields";
import { descriptionOf } from "../../../../lib/sources/descriptions";
import type { Fields } from "./left-over";

/** A source, with the settings that its conversion asked for. */
export interface ConversionTrial {
  readonly kind: string;
  readonly parameters: Fields;
  readonly asked: readonly Setting[];
}

export interface Setting {
  readonly name: string;
  /** Where it is written, else where it belongs. */
  readonly field: string;
  /** Without credentials. Undefined: not in the metadata. */
  readonly value: string | undefined;
  readonly isGiven: boolean;
}

/** One setting less, or one more. */
export interface SettingChange {
  readonly without?: string;
  readonly extra?: string;
}

/**
 * Why ebb refuses the source that a trigger becomes, in the words of what was written. A setting is the cause if the
 * problem is not there without it. `trigger`: its path, and `trial` what it becomes as it is.
 */
export function sourceProblems(
  trigger: string,
  trial: ConversionTrial,
  convert: (change: SettingChange) => ConversionTrial,
): readonly string[] {
  const trials = trialsOf(trial, convert);
  const wrong = trials.before.map((problem) => {
    const causes = causesOf(problem, trials);
    const [only] = causes;
    const left = causes.length === 1 ? trials.less().find(({ setting }) => setting === only)?.left : undefined;
    const isMadeOf = only?.value !== undefined && left?.some(({ path }) => path === problem.path) === true;
    const message = isMadeOf ? problem.message.replace(/, got .*$/s, `, got ${shown(only.value)}`) : problem.message;
    return problemText({ path: causes.map(({ field }) => field).join(", ") || trigger, message });
  });
  const isKnown = (field: string) => wrong.some((problem) => problem.includes(`${field}: `));
  const unfilled = trial.asked.filter(({ field, value }) => isPlaceholder(value) && !isKnown(field));
  return [
    ...wrong,
    ...unfilled.map(({ field }) => `${field}: expected a value, got a placeholder: put the value there`),
  ];
}

/** `${QUEUE}`, also within a text, or a whole `$QUEUE`, `$(QUEUE)`, `<queue>`, `%QUEUE%` or `__QUEUE__`. */
function isPlaceholder(value = ""): boolean {
  const whole = /^(\$[A-Z][A-Z0-9_]*|\$\([\w.]+\)|<[A-Za-z][\w .-]*>|%\w+%|__[A-Z0-9_]+__)$/;
  return /\$\{[A-Z][A-Z0-9_]*\}/.test(value) || whole.test(value);
}

interface Trials {
  readonly before: readonly Problem[];
  /** Without each setting that is given. */
  readonly less: () => readonly Tried[];
  /** With each setting that has no value. */
  readonly more: () => readonly Tried[];
}

interface Tried {
  readonly setting: Setting;
  readonly left: readonly Problem[];
}

/** Each is converted once, whatever the number of problems. */
function trialsOf(trial: ConversionTrial, convert: (change: SettingChange) => ConversionTrial): Trials {
  const tried = (settings: readonly Setting[], changeOf: (name: string) => SettingChange) =>
    settings.map((setting): Tried => ({ setting, left: problemsOf(convert(changeOf(setting.name))) }));
  let less: readonly Tried[] | undefined;
  let more: readonly Tried[] | undefined;
  const given = trial.asked.filter(({ isGiven }) => isGiven);
  const lacking = trial.asked.filter(({ value }) => value === undefined);
  return {
    before: problemsOf(trial),
    less: () => (less ??= tried(given, (without) => ({ without }))),
    more: () => (more ??= tried(lacking, (extra) => ({ extra }))),
  };
}

function causesOf(problem: Problem, trials: Trials): readonly Setting[] {
  const missing = isOfNothing(problem.message) ? missingFor(problem, trials) : undefined;
  if (missing !== undefined) return [missing];
  const isOld = (one: Problem) => trials.before.some((other) => isSame(one, other));
  const found = trials.less().map(({ setting, left }) => {
    const message = left.find(({ path }) => path === problem.path)?.message;
    // Another problem may come to light.
    const isFixed = message === undefined && left.every((one) => isOld(one) || !isOfNothing(one.message));
    return { setting, message, isFixed };
  });
  const changed = found.filter(({ message }) => message !== problem.message);
  const shownAsIs = changed.filter(({ setting }) => problem.message.endsWith(`, got ${shown(setting.value)}`));
  const fixed = changed.filter(({ isFixed }) => isFixed);
  const needed = changed.filter(({ message }) => message !== undefined && isOfNothing(message));
  const causes = [shownAsIs, fixed, needed].find((some) => some.length > 0) ?? changed;
  return causes.map(({ setting }) => setting);
}

/** The setting whose own value would be looked at next. */
function missingFor(problem: Problem, trials: Trials): Setting | undefined {
  const isNext = (one: Problem) => one.path === problem.path && !isSame(one, problem);
  const candidates = trials.more().filter(({ left }) => left.every(isNext));
  const found = candidates.find(({ setting }) => setting.name === problem.path) ?? candidates[0];
  return found?.setting;
}

const isOfNothing = (message: string) => message.endsWith(", got nothing");

const isSame = (one: Problem, other: Problem) => problemText(one) === problemText(other);

function problemsOf({ kind, parameters }: ConversionTrial): readonly Problem[] {
  const known = descriptionOf(kind);
  if (known === undefined) return [];
  const problems = parameterProblems(known.fields, parameters, []);
  if (problems.length > 0) return problems;
  try {
    known.parse({ metricName: kind, parameters });
    return [];
  } catch (error) {
    if (!isFault(error, "badEntry")) throw error;
    const [, path = "", message = error.message] = /^parameter (\S+): (.*)$/s.exec(error.message) ?? [];
    return [{ path, message }];
  }
}
