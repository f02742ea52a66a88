import { spawnSync } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { evaluateLine, evaluateLines, stayBelow100MiB } from "../cli/understand/evaluate/evaluate";
import { evaluate } from "../lib/core/evaluate";
import type { Situation } from "../lib/model/situation";
import { runBench } from "./harness/backend-process";
import { cpuSituations, externalSituations, linesOf, now } from "./harness/situations";

/**
 * ebb beside upstream's own controller, like with like in one run: the same lines, the same work, and decisions per
 * second of processor time (of all threads, so the garbage collectors' too), the best of some rounds. Both must decide
 * the same. Upstream's controller is built from its sources, which takes Go and minutes, once.
 */
const rounds = 8;
/** Of `ebb evaluate`, with JSON in and out. */
const goal = 1.2;

type Mode = "decision" | "json";

interface Case {
  readonly name: string;
  readonly situations: readonly Situation[];
  readonly count: number;
}

const cases: readonly Case[] = [
  { name: "External, AverageValue", situations: externalSituations(), count: 8_000 },
  { name: "CPU, 20 pods", situations: cpuSituations(20), count: 1_600 },
];

async function bestOf(count: number, round: () => Promise<void> | void): Promise<number> {
  let best = 0;
  for (let index = 0; index < rounds; index += 1) {
    const before = process.cpuUsage();
    await round();
    const { user, system } = process.cpuUsage(before);
    best = Math.max(best, (count * 1e6) / (user + system));
  }
  return best;
}

function ebb({ situations, count }: Case, lines: string, mode: Mode): Promise<number> {
  if (mode === "decision")
    return bestOf(count, () => {
      for (let index = 0; index < count; index += 1) {
        const situation = situations[index % situations.length];
        if (situation !== undefined) evaluate(situation, now);
      }
    });
  const text = Buffer.from(lines);
  const chunks = Array.from({ length: Math.ceil(text.length / 65_536) }, (_, index) =>
    text.subarray(index * 65_536, (index + 1) * 65_536),
  );
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return bestOf(count, async () => void (await evaluateLines({ input: Readable.from(chunks), output: nowhere() })));
}

function upstream(decider: string, lines: string, mode: Mode) {
  const options = { input: lines, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const { status, stdout, stderr } = spawnSync(decider, [mode, String(rounds)], options);
  if (status !== 0) throw new Error(`upstream's controller failed: ${stderr}`);
  return { perSecond: Math.max(...stderr.trim().split("\n").map(Number)), answers: stdout.trim().split("\n") };
}

/** What the two must agree on. Their texts are compared by the recorded vectors. */
function essence(answer: string): object {
  const { desiredReplicas, scaleTo, currentMetrics } = JSON.parse(answer) as Record<string, unknown>;
  return { desiredReplicas, scaleTo, currentMetrics };
}

function compareAnswers(name: string, lines: string, answers: readonly string[]): void {
  for (const [index, line] of lines.trim().split("\n").entries()) {
    const { answer } = evaluateLine(line);
    if (!isDeepStrictEqual(essence(answer), essence(answers[index] ?? "{}")))
      throw new Error(`${name}, line ${index}: ebb ${answer}, upstream ${answers[index]}`);
  }
}

async function main(): Promise<void> {
  stayBelow100MiB(); // as the command does
  const built = spawnSync(process.execPath, ["scripts/servers/decider.mjs"], { encoding: "utf8" });
  if (built.status === 2) return console.log(`Not compared with upstream: ${built.stderr.trim()}`);
  if (built.status !== 0) throw new Error(`upstream's controller was not built: ${built.stderr.trim()}`);
  const table: Record<string, object> = {};
  for (const one of cases) {
    const lines = linesOf(one.situations, one.count);
    for (const mode of ["decision", "json"] as const) {
      const theirs = upstream(built.stdout.trim(), lines, mode);
      const own = await ebb(one, lines, mode);
      compareAnswers(one.name, lines, theirs.answers);
      table[`${one.name}, ${mode === "json" ? "JSON in and out" : "decision alone"}`] = {
        "ebb/s": Math.round(own),
        "upstream/s": Math.round(theirs.perSecond),
        "× upstream": Number((own / theirs.perSecond).toFixed(2)),
      };
    }
  }
  console.log("Decisions per second of processor time; both decided the same on every line.");
  console.table(table);
  console.log(
    `The goal is ${goal} × upstream with JSON in and out, on the functions' Node 24; this is ${process.version}.`,
  );
}

runBench(main);
