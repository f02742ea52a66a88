import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { askEbb } from "./ask-ebb";
import { openUpstream, type Upstream } from "./ask-upstream";
import { type Kind, kinds } from "./case";
import { inOneOrder } from "./compare";
import { explainAll, type Finding, shrinkFinding } from "./find-differences";
import { generate } from "./generate/cases";
import { pageCases } from "./page-cases";

/**
 * `npm run parity -- --seed N --count M`: asks upstream and ebb the same generated questions, and prints every way in
 * which they differ, with the smallest question that shows it and the row of docs/parity.md that explains it. Exits
 * with 1 if one has no row, or if upstream answers a question of the page's rows differently than it is recorded.
 * `--record` writes these answers down.
 */
const recordedPage = "test/vectors/parity.jsonl";
const batch = 100;
/** After so many unexplained findings, the others are only counted. */
const mostShrunk = 10;

interface Asked {
  readonly seed: number;
  readonly count: number;
  readonly minutes: number;
  readonly kinds: readonly Kind[];
  readonly record: boolean;
}

function readOptions(args: readonly string[]): Asked {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: text, count: text, minutes: text, record: { type: "boolean" } },
    allowPositionals: true,
  });
  const number = (name: "seed" | "count" | "minutes", otherwise: number) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value >= 0)) throw new Error(`--${name}: expected a number, got ${values[name]}`);
    return value;
  };
  const unknown = positionals.filter((name) => !(kinds as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`expected ${kinds.join(", ")}, got ${unknown.join(", ")}`);
  return {
    seed: number("seed", 1),
    count: number("count", values.minutes === undefined ? 1_000 : Infinity),
    minutes: number("minutes", Infinity),
    kinds: positionals.length > 0 ? (positionals as Kind[]) : kinds,
    record: values.record ?? false,
  };
}

async function main(): Promise<void> {
  const [recorder = "", ...args] = process.argv.slice(2);
  const asked = readOptions(args);
  const end = performance.now() + asked.minutes * 60_000;
  const isOver = () => performance.now() >= end;
  const upstream = openUpstream(recorder);
  if (asked.record) {
    writeFileSync(recordedPage, await recordPage(upstream));
    return upstream.close();
  }
  if ((await recordPage(upstream)) !== readFileSync(recordedPage, "utf8")) {
    console.log(`${recordedPage} is not what is answered now: run npm run parity -- --record, and read the difference`);
    process.exitCode = 1;
  }
  const cases = new Map<Kind, number>();
  const counts = new Map<string, number>();
  const findings = new Map<string, Finding>();
  for (let done = 0; done < asked.count && !isOver(); done += batch) {
    for (const kind of asked.kinds) {
      if (isOver()) break;
      const generated = generate(kind, asked.seed + done, Math.min(batch, asked.count - done));
      add(cases, kind, generated.length);
      for (const [index, explained] of (await explainAll(generated, upstream)).entries()) {
        const one = generated[index];
        if (explained === undefined || one === undefined) continue;
        add(counts, explained.key, 1);
        if (findings.has(explained.key) || explained.rows.length > 1 || unexplainedIn(findings) >= mostShrunk) continue;
        const finding = await shrinkFinding(one, explained, { upstream, isOver });
        findings.set(explained.key, finding);
        print(finding);
      }
    }
  }
  await upstream.close();
  summarize(asked.seed, cases, counts);
  if (unexplainedIn(findings) > 0) process.exitCode = 1;
}

/** Lines `{row, kind, given, upstream, ebb}`. test/docs/parity.test.ts holds the page and ebb against them. */
async function recordPage(upstream: Upstream): Promise<string> {
  const answers = (await upstream.ask(pageCases)).map(inOneOrder);
  const lines = pageCases.map((one, index) => ({ ...one, upstream: answers[index], ebb: askEbb(one) }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function unexplainedIn(findings: ReadonlyMap<string, Finding>): number {
  return [...findings.values()].filter(({ rows }) => rows.length === 0).length;
}

function print({ kind, rows, given, difference }: Finding): void {
  console.log(`\n${kind}: ${rows.length === 0 ? "UNEXPLAINED" : rows.join("; ")}`);
  console.log(`  given    ${JSON.stringify(given)}`);
  console.log(`  at       ${difference.path}`);
  console.log(`  upstream ${JSON.stringify(difference.upstream)}`);
  console.log(`  ebb      ${JSON.stringify(difference.ebb)}`);
}

function summarize(seed: number, cases: ReadonlyMap<Kind, number>, counts: ReadonlyMap<string, number>): void {
  const compared = [...cases].map(([kind, count]) => `${kind} ${count}`).join(", ");
  console.log(`\nCompared with seed ${seed}: ${compared}.`);
  for (const [key, count] of [...counts].sort()) console.log(`${String(count).padStart(7)} differ in ${key}`);
}

void main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exit(2);
});
