// On a busy machine, a limit ends only what has no answer.
import "../time/loop-time";
import { peakMemory } from "./peak-memory";

/** What a process of `smallHeap` does. It ends with the first question that `answer` rejects, or with its parent. */
export function answerQuestions<Question>(answer: (question: Question) => Promise<object>): void {
  process.on("message", (question) => {
    answer(question as Question).then(
      (answered) => {
        const isLinux = process.platform === "linux";
        const megabytes = isLinux ? peakMemory(process.pid) : Math.round(process.resourceUsage().maxRSS / 1024);
        process.send?.({ ...answered, megabytes });
      },
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
}
