import { allRows, combinationsOf, coveringRows } from "./stories/covering";
import { factors, pairedStory, rows } from "./stories/paired";

const all = (strength: number) => new Set(allRows(factors).flatMap((row) => combinationsOf(row, strength)));
const covered = (strength: number) => new Set(rows.flatMap((row) => combinationsOf(row, strength)));

test.each([2, 3])("the paired stories have every %i choices together", (strength) => {
  expect([...all(strength)].filter((each) => !covered(strength).has(each))).toEqual([]);
});

test("they need far fewer rows than there are", () => {
  expect(rows.length).toBeLessThan(allRows(factors).length / 5);
});

test("pairs of two switches need four rows, whatever a third one does", () => {
  const switches = { a: ["on", "off"], b: ["on", "off"], c: ["on", "off"] } as const;
  expect(coveringRows(switches, 2)).toHaveLength(4);
  expect(coveringRows(switches, 3)).toHaveLength(8);
});

test("each row is a story: what it chooses is in it, and nothing else", () => {
  const dos = (seed: number) => new Set(pairedStory(seed).acts.map((act) => act.do));
  for (const [index, row] of rows.entries()) {
    const story = pairedStory(index + 1);
    const has = dos(index + 1);
    expect([row, has.has("again")]).toEqual([row, row.double !== "no"]);
    expect([row, story.incidents.length > 0]).toEqual([row, row.late !== "no"]);
    expect([row, has.has("create"), has.has("delete")]).toEqual([row, row.shards === "split", row.shards === "merge"]);
    expect([row, has.has("putBack")]).toEqual([row, row.restore !== "no"]);
    const woken = story.acts.filter((act) => act.do === "annotate" && act.annotations["note"] === "woken");
    expect([row, woken.length]).toEqual([row, { no: 0, own: 1, neighbour: 1, both: 2 }[row.wake]]);
  }
});
