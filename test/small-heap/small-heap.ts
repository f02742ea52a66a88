import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";

/** The memory of a function. */
export const functionMegabytes = 512;
const heapMegabytes = 256;

export type Answered<Answer> = Answer & {
  /** The most that the process ever had. */
  readonly megabytes: number;
};

export interface SmallHeap<Question, Answer> {
  /** Rejects when the process ends; the next question starts another. */
  readonly ask: (question: Question) => Promise<Answered<Answer>>;
  close(): Promise<void>;
}

/**
 * A process with a heap as small as a function's. It runs `entryPoint`, which calls `answerQuestions`. Like a warm
 * function it answers one question after another, so what an answer leaves behind counts for the next one.
 */
export function openSmallHeap<Question extends object, Answer>(entryPoint: string): SmallHeap<Question, Answer> {
  const folder = mkdtempSync(join(tmpdir(), "ebb-small-heap-"));
  const script = join(folder, "process.js");
  buildSync({ entryPoints: [entryPoint], outfile: script, bundle: true, platform: "node", logLevel: "error" });
  let child: ChildProcess | undefined;
  return {
    async ask(question) {
      const asked = (child ??= start(script));
      try {
        return await answerOf<Answered<Answer>>(asked, question);
      } catch (error) {
        child = undefined;
        throw error;
      }
    },
    async close() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One for all tests of a file. */
export function smallHeap<Question extends object, Answer>(entryPoint: string): SmallHeap<Question, Answer>["ask"] {
  let opened: SmallHeap<Question, Answer> | undefined;
  afterAll(() => opened?.close());
  return (question) => (opened ??= openSmallHeap<Question, Answer>(entryPoint)).ask(question);
}

function start(script: string): ChildProcess {
  const execArgv = [`--max-old-space-size=${heapMegabytes}`];
  return fork(script, [], { env: {}, execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
}

function answerOf<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  let errors = "";
  const hear = (text: Buffer) => (errors += text.toString());
  child.stderr?.on("data", hear);
  return new Promise<Answer>((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`the process ended with ${code ?? signal}: ${errors.slice(0, 2_000)}`));
    child.once("close", ended);
    child.once("message", (answer) => {
      child.off("close", ended);
      child.stderr?.off("data", hear).resume();
      resolve(answer as Answer);
    });
    child.send(question);
  });
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  await exited;
}
