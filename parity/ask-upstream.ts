import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Answer, Case } from "./case";

/** Beside what ebb is asked, too: see parity/recorder/main.go. */
type Question = Case | { readonly kind: "events" | "yaml"; readonly given: unknown };

export interface Upstream {
  /** Answers in the order of the questions. */
  readonly ask: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly close: () => Promise<void>;
}

/** @param recorder the program that scripts/servers/recorder.mjs builds */
export function openUpstream(recorder: string): Upstream {
  const child = spawn(recorder, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: { answered: (line: string) => void; failed: (reason: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.answered(line));
  const ended = once(child, "close");
  const fail = (reason: Error) => {
    for (const { failed } of waiting.splice(0)) failed(reason);
  };
  ended.then(() => fail(new Error(`${recorder} ended before it answered`)), fail);
  const askOne = (one: Question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ answered: (line) => resolve(JSON.parse(line) as Answer), failed: reject });
      child.stdin.write(`${JSON.stringify(one)}\n`);
    });
  return {
    ask: (questions) => Promise.all(questions.map(askOne)),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
