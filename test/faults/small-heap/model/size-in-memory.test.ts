import { smallHeap } from "../../../small-heap/small-heap";
import { type Heap, shapes } from "./heap";

const heapOf = smallHeap<{ readonly shape: string }, Heap>("test/faults/small-heap/model/heap.ts");

test.each(Object.keys(shapes))("%s take no more memory than they are said to", async (shape) => {
  const { used, measured, measuredAlone, parsed } = await heapOf({ shape });
  expect(used).toBeGreaterThan(0);
  expect(used / measured).toBeLessThan(1.05);
  expect(used / measuredAlone).toBeLessThan(1.4);
  expect(used / parsed).toBeLessThan(1.4);
});

test("a served pod is measured as at most 2.5 times its memory", async () => {
  const { used, measured } = await heapOf({ shape: "pods" });
  expect(measured / used).toBeLessThan(2.5);
});
