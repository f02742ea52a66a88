import type { HpaEvent } from "../../../lib/model/situation";
import { hpaResult, outOfTime, type HpaTask } from "../../../lib/sync/hpa/hpa-result";

const warning = (message: string): HpaEvent => ({ type: "Warning", reason: "FailedGetExternalMetric", message });
const event: HpaEvent = { type: "Normal", reason: "SuccessfulRescale", message: "New size: 3" };
const taskAfter = (warnings?: readonly HpaEvent[]) =>
  ({ key: "shop/web", state: warnings && { warnings } }) as unknown as HpaTask;

test.each<[string, HpaTask, { recorded?: boolean; warnings?: readonly HpaEvent[] }, object]>([
  ["a first warning is news", taskAfter(), { warnings: [warning("a")] }, { news: warning("a"), recovered: false }],
  [
    "with other numbers, it is none",
    taskAfter([warning("at 1")]),
    { warnings: [warning("at 2")] },
    { recovered: false },
  ],
  [
    "of several, the first new one is news",
    taskAfter([warning("a")]),
    { warnings: [warning("a"), warning("b"), warning("c")] },
    { news: warning("b"), recovered: false },
  ],
  ["without a warning, it has recovered", taskAfter([warning("a")]), {}, { recovered: true }],
  ["without one before, there is nothing to recover from", taskAfter([]), {}, { recovered: false }],
  [
    "what is not recorded is no news, and emits nothing",
    taskAfter(),
    { recorded: false, warnings: [warning("a")] },
    { recorded: false, recovered: false, events: [] },
  ],
  [
    "what is not recorded is no recovery",
    taskAfter([warning("a")]),
    { recorded: false },
    { recorded: false, recovered: false, events: [] },
  ],
])("%s", (_name, task, given, expected) => {
  const result = hpaResult(task, { recorded: true, warnings: [], events: [event], ...given });
  expect(result).toEqual({
    ...{ key: "shop/web", recorded: true, scaled: false, warnings: given.warnings ?? [], events: [event] },
    ...expected,
  });
});

test.each([
  ["says so", [], "the slot ended before everything was read"],
  [
    "says what was not read",
    [warning("no answer"), warning("b")],
    "the slot ended before everything was read: no answer",
  ],
])("an HPA that is out of time %s", (_name, warnings, message) => {
  const news: HpaEvent = { type: "Warning", reason: "OutOfTime", message };
  expect(outOfTime(taskAfter(), warnings)).toEqual({
    ...{ key: "shop/web", recorded: false, scaled: false, recovered: false },
    ...{ warnings: [news], news, events: [news] },
  });
});
