import { smallHeap } from "../../../small-heap/small-heap";
import type { Metered } from "./metered";

const metered = smallHeap<Metered, { readonly heap: number }>("test/faults/small-heap/meter/metered.ts");

test.each([
  { left: 0, written: 64, read: 0, of: "what the table has is not the code's", least: 0, most: 6 },
  { left: 0, written: 64, read: 32, of: "what the code has read is", least: 32, most: 38 },
  { left: 64, written: 64, read: 32, of: "what the story before has left counts for nothing", least: 32, most: 38 },
])("$of", async ({ left, written, read, least, most }) => {
  const { heap } = await metered({ left, written, read });
  expect(heap).toBeGreaterThanOrEqual(least);
  expect(heap).toBeLessThan(most);
});
