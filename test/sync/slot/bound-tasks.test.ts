import { hpaKey } from "../../../lib/model/hpa-key";
import type { HpaTask } from "../../../lib/sync/hpa/hpa-result";
import { boundTasks } from "../../../lib/sync/slot/bound-tasks";

const taskOf = (name: string, metrics: number): HpaTask =>
  ({ key: hpaKey("shop", name), entry: { hpa: { spec: { metrics: Array.from({ length: metrics }) } } } }) as never;

const invalid: HpaTask = { key: hpaKey("shop", "c"), entry: { errors: ["spec: expected a map"] } } as never;

test("HPAs with more metrics than fit into memory together: those beyond a fair share are halted by name", () => {
  const tasks = [taskOf("a", 90), taskOf("b", 30), taskOf("c", 5)];
  const { tasks: bounded, wanted } = boundTasks(tasks, 100 * 1_600);
  expect(bounded[0]?.entry).toEqual({
    errors: [
      "spec.metrics: expected at most 100 metrics of the HPAs of a shard together, got 125: the share of this HPA is 65, " +
        "and it has 90 (a limit of ebb): use fewer, or give the function more memory",
    ],
  });
  expect(bounded.slice(1)).toEqual(tasks.slice(1));
  expect(wanted).toBe(150);
  const many = Array.from({ length: 200 }, (_, index) => taskOf(`h${index}`, 2));
  const crowd = boundTasks(many, 300 * 1_600);
  expect(crowd.wanted).toBeGreaterThan(5_000);
  const halted = crowd.tasks.flatMap(({ entry }) => ("errors" in entry ? entry.errors : []));
  expect(halted).toHaveLength(100);
  expect(halted[0]).toMatch(/: the next tick splits the shard$/);
});

test("an HPA without metrics takes nothing, and is never halted", () => {
  const without = [{ key: hpaKey("shop", "b"), entry: { hpa: { spec: {} } } } as never, invalid];
  const { tasks } = boundTasks([taskOf("a", 2), ...without], 1_600);
  expect(tasks.map(({ entry }) => "errors" in entry)).toEqual([true, false, true]);
  expect(tasks.slice(1)).toEqual(without);
});

test("a team's 900 HPAs of ten metrics halt none of a neighbour's three of 30", () => {
  const crowd = Array.from({ length: 900 }, (_, index) => ({ ...taskOf("", 10), key: hpaKey("crowd", `h${index}`) }));
  const overlapping = ["a", "b", "c"].map((name) => taskOf(name, 30));
  const { tasks } = boundTasks([...crowd, ...overlapping], 3_000 * 1_600);
  expect(tasks.slice(900)).toEqual(overlapping);
  expect(tasks.filter(({ entry }) => "errors" in entry)).toHaveLength(900);
});

test("without a limit, and within it, nothing changes", () => {
  const tasks = [taskOf("a", 100)];
  expect(boundTasks(tasks)).toEqual({ tasks, wanted: 0 });
  expect(boundTasks(tasks, 100 * 1_600)).toEqual({ tasks, wanted: 0 });
});
