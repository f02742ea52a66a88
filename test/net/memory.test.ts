import { openMemory } from "../../lib/net/memory";

const MB = 2 ** 20;

/** A function of 512 MB: 128 MB for answers, 32 MB for a cluster, 16 MB for one answer. */
function open() {
  const memory = openMemory(512 * MB);
  const evicted: string[] = [];
  const hold = (share: ReturnType<typeof memory.share>, name: string) => share.hold(() => evicted.push(name));
  return { memory, evicted, hold };
}

test("one answer has half of its cluster's share", () => {
  const { memory, evicted, hold } = open();
  const one = hold(memory.share(), "one");
  one.add(16 * MB);
  expect(evicted).toEqual([]);
  one.add(1);
  expect(evicted).toEqual(["one"]);
});

test("of the answers that are read at the same time, the largest makes room for the others", () => {
  const { memory, evicted, hold } = open();
  const share = memory.share();
  const [small, large, middle] = [hold(share, "small"), hold(share, "large"), hold(share, "middle")];
  large.add(16 * MB);
  middle.add(15 * MB);
  small.add(1 * MB);
  expect(evicted).toEqual([]);
  small.add(1 * MB);
  expect(evicted).toEqual(["large"]);
  small.add(8 * MB);
  middle.end();
  expect(evicted).toEqual(["large"]);
});

test("an answer that is evicted learns why", () => {
  const reasons: string[] = [];
  const memory = openMemory(512 * MB);
  memory
    .share()
    .hold((why) => reasons.push(why))
    .add(17 * MB);
  const share = memory.share();
  for (const bytes of [16 * MB, 15 * MB, 2 * MB]) share.hold((why) => reasons.push(why)).add(bytes);
  expect(reasons).toEqual([
    "the answer needs more than the 16 MB of memory that one may have",
    "the answers that are read at the same time need more than 32 MB of memory",
  ]);
});

test("what is kept of a list counts until its turn ends", () => {
  const { memory, evicted, hold } = open();
  const share = memory.share();
  const turn = new AbortController();
  for (const name of ["a", "b"]) {
    const list = hold(share, name);
    list.add(15 * MB);
    list.end(14 * MB, turn.signal);
  }
  const third = hold(share, "third");
  third.add(5 * MB);
  expect(evicted).toEqual(["third"]);
  turn.abort();
  const fourth = hold(share, "fourth");
  fourth.add(15 * MB);
  expect(evicted).toEqual(["third"]);
});

test("a cluster with large answers leaves the others their share", () => {
  const { memory, evicted, hold } = open();
  const [greedy, modest] = [memory.share(), memory.share()];
  for (let index = 0; index < 10; index++) hold(greedy, `greedy ${index}`).add(15 * MB);
  hold(modest, "modest").add(15 * MB);
  expect(evicted).toHaveLength(8);
  expect(evicted).not.toContain("modest");
});

test("many clusters together stay within what all answers have", () => {
  const { memory, evicted, hold } = open();
  for (let index = 0; index < 12; index++) hold(memory.share(), `cluster ${index}`).add(15 * MB);
  expect(evicted).toHaveLength(4); // eight of 15 MB fit into 128 MB
});

test("an evicted answer counts no more, whatever it still adds", () => {
  const { memory, evicted, hold } = open();
  const share = memory.share();
  const one = hold(share, "one");
  one.add(17 * MB);
  one.add(100 * MB);
  one.end(100 * MB, new AbortController().signal);
  const [a, b] = [hold(share, "a"), hold(share, "b")];
  a.add(16 * MB);
  b.add(16 * MB);
  expect(evicted).toEqual(["one"]);
});

test("as many answers make room as are needed, and what no answer can make room for ends the search", () => {
  const { memory, evicted, hold } = open();
  const share = memory.share();
  const [kept, first, second, last] = ["kept", "first", "second", "last"].map((name) => hold(share, name));
  first?.add(2);
  second?.add(1);
  kept?.end(33 * MB, new AbortController().signal);
  expect(evicted).toEqual([]);
  last?.add(3);
  expect(evicted).toEqual(["last", "first", "second"]);
});
