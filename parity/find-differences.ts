import { isDeepStrictEqual } from "node:util";
import { askEbb } from "./ask-ebb";
import type { Upstream } from "./ask-upstream";
import type { Answer, Case, Difference } from "./case";
import { compare } from "./compare";
import { rows } from "./rows";
import { shrink } from "./shrink";

/** What is printed once for all cases that differ in the same way. */
export interface Finding {
  readonly key: string;
  readonly kind: Case["kind"];
  /** The rows of docs/parity.md that explain it together. Empty: nothing does. */
  readonly rows: readonly string[];
  /** The first case that differs so, as small as it gets. */
  readonly given: unknown;
  readonly difference: Difference;
}

interface Explained {
  readonly key: string;
  readonly rows: readonly string[];
  readonly difference: Difference;
}

/** How each case differs: undefined if it does not. */
export async function explainAll(
  cases: readonly Case[],
  upstream: Upstream,
): Promise<readonly (Explained | undefined)[]> {
  const answers = await upstream.ask(cases);
  return Promise.all(
    cases.map((one, index) => {
      const answer = answers[index];
      if (answer === undefined) throw new Error(`upstream gave no answer to case ${index}`);
      return explain(one, answer, upstream);
    }),
  );
}

/** Takes the cause of one row after the other away, until both say the same. */
async function explain(one: Case, answer: Answer, upstream: Upstream): Promise<Explained | undefined> {
  const ebb = askEbb(one);
  const [difference] = compare(answer, ebb);
  if (difference === undefined) return undefined;
  const used: string[] = [];
  const settles: NonNullable<(typeof rows)[number]["settle"]>[] = [];
  let [asked, theirs, ours] = [one, answer, ebb];
  for (const { title, settle, without } of rows) {
    const given = without?.(asked.given) ?? asked.given;
    const isChanged = !isDeepStrictEqual(given, asked.given);
    if (isChanged) {
      asked = { kind: one.kind, given };
      [theirs, ours] = [(await upstream.ask([asked]))[0] ?? theirs, askEbb(asked)];
    }
    if (settle !== undefined) settles.push(settle);
    const settled = settles.reduce(settledBy, theirs);
    if (isChanged || !isDeepStrictEqual(settled, theirs)) used.push(title);
    theirs = settled;
    if (compare(theirs, ours).length === 0) return { key: `${one.kind}: ${used.join("; ")}`, rows: used, difference };
  }
  return { key: `${one.kind}: ${shapeOf(difference)}`, rows: [], difference };
}

function settledBy(answer: Answer, settle: (upstream: unknown) => unknown): Answer {
  return "expect" in answer ? { expect: settle(answer.expect) } : answer;
}

/** Its path without indices, and both values without numbers and what is in quotes. */
function shapeOf({ path, upstream, ebb }: Difference): string {
  const shape = (value: unknown) =>
    JSON.stringify(value ?? null)
      .replaceAll(/-?\d+/g, "0")
      .slice(0, 80);
  return `${path.replaceAll(/\[\d+\]/g, "[]")}: ${shape(upstream)}, ${shape(ebb)}`;
}

/** Once `isOver`, it is small enough. */
export async function shrinkFinding(
  first: Case,
  { key }: Explained,
  { upstream, isOver }: { readonly upstream: Upstream; readonly isOver: () => boolean },
): Promise<Finding> {
  const explainOne = async (given: unknown) => (await explainAll([{ kind: first.kind, given }], upstream))[0];
  const given = await shrink(first.given, async (smaller) => !isOver() && (await explainOne(smaller))?.key === key);
  const explained = await explainOne(given);
  if (explained === undefined) throw new Error(`a case that differed does not differ when it is asked again: ${key}`);
  return { key, kind: first.kind, rows: explained.rows, given, difference: explained.difference };
}
