import { existsSync, readFileSync } from "node:fs";

/** What a process of `smallHeap` does. It ends with the first question that `answer` rejects, or with its parent. */
export function answerQuestions<Question>(answer: (question: Question) => Promise<object>): void {
  process.on("message", (question) => {
    answer(question as Question).then(
      (answered) => {
        process.send?.({ ...answered, megabytes: Math.round(peakKilobytes() / 1024) });
      },
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
}

/** Linux's own figure of this process. The `maxRSS` of a process begins with what its parent had at the fork. */
function peakKilobytes(): number {
  const file = "/proc/self/status";
  if (!existsSync(file)) return process.resourceUsage().maxRSS;
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]);
  if (!(peak > 0)) throw new Error(`${file}: expected VmHWM in kB`);
  return peak;
}
