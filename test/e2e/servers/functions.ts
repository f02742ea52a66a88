import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { accessSync } from "node:fs";
import { createInterface } from "node:readline";
import { inCheckout } from "./checkout";

/** A line that a function logged, parsed. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface PackagedFunction {
  /** @throws Error with the function's own error, when the invocation fails */
  invoke(event: unknown): Promise<unknown>;
  /** Every structured line logged so far; metrics (EMF) are lines too. */
  readonly lines: readonly LogLine[];
  stop(): Promise<void>;
}

type Answer = { readonly id: string; readonly result?: unknown; readonly error?: string };

/** What function-host.mjs writes before an answer. */
const answerMark = "answer ";

/** serverless.yml's timeout of sync. */
const syncTimeoutMs = 30_000;

/**
 * Runs the bundle dist/functions/<name>.js as the platform would: in its own process, which is kept between
 * invocations.
 */
export function startFunction(
  name: "tick" | "wake" | "watch" | "sync",
  env: Readonly<Record<string, string>>,
  { timeoutMs = syncTimeoutMs }: { readonly timeoutMs?: number } = {},
): PackagedFunction {
  const bundle = inCheckout(`dist/functions/${name}.js`);
  try {
    accessSync(bundle);
  } catch (cause) {
    throw new Error(`${bundle} is missing: run \`npm run build\` first`, { cause });
  }
  const lines: LogLine[] = [];
  const unparsed: string[] = [];
  const waiting = new Map<string, (answer: Answer) => void>();
  const child = fork(inCheckout("test/e2e/servers/function-host.mjs"), [bundle, String(timeoutMs)], {
    // Nothing from this process's environment: a function has only what serverless.yml and the platform set.
    env: { PATH: process.env.PATH, AWS_LAMBDA_FUNCTION_NAME: name, ...env },
    execArgv: heapOptions(env),
    silent: true,
  });
  const exited = once(child, "exit");
  const answered = (answer: Answer) => waiting.get(answer.id)?.(answer);
  const keep = (line: string) => {
    if (line.startsWith("{")) lines.push(JSON.parse(line) as LogLine);
    else if (line.startsWith(answerMark)) answered(JSON.parse(line.slice(answerMark.length)) as Answer);
    else unparsed.push(line);
  };
  for (const output of [child.stdout, child.stderr]) if (output) createInterface({ input: output }).on("line", keep);
  child.on("exit", (code) => {
    const error = `${name} ended with status ${code}: ${unparsed.slice(-20).join("\n")}`;
    for (const [id, answer] of waiting) answer({ id, error });
  });

  return {
    lines,
    async invoke(event) {
      const id = randomUUID();
      const answer = await new Promise<Answer>((done) => {
        waiting.set(id, done);
        child.send({ id, event }, (error) => {
          if (error) done({ id, error: `${name} is not running: ${error.message}` });
        });
      });
      waiting.delete(id);
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.result;
    },
    async stop() {
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
}

/**
 * As the start script of Lambda's Node.js runtimes: a heap of 90 % of the function's memory, and semi-spaces of 5 %,
 * unless NODE_OPTIONS says another size.
 */
function heapOptions(env: Readonly<Record<string, string>>): string[] {
  const { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: megabytes = "512", NODE_OPTIONS: own = "" } = env;
  if (/--max[-_](semi|old)[-_]space[-_]size/.test(own)) return [];
  const share = (percent: number) => Math.floor((Number(megabytes) * percent) / 100);
  return [`--max-semi-space-size=${share(5)}`, `--max-old-space-size=${share(90)}`];
}
