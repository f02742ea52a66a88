import { openClock, type Process } from "./world/clock";

function process(name: string): Process {
  return { name, skewMs: 0, frozenUntil: 0, lostMs: 0, isDead: false };
}

test("all promises that an event settles run as its process, before the next event", async () => {
  const clock = openClock(1_000);
  const seen: string[] = [];
  const note = (what: string) => seen.push(`${what} at ${clock.now} as ${clock.current?.name ?? "nobody"}`);
  const several = async (what: string) => {
    for (let step = 1; step <= 3; step += 1) {
      await Promise.resolve();
      note(`${what} ${step}`);
    }
  };
  clock.after(5, process("a"), () => void several("first"));
  clock.after(5, process("b"), () => note("second"));
  await clock.runUntil(1_010);
  expect(seen).toEqual(["first 1 at 1005 as a", "first 2 at 1005 as a", "first 3 at 1005 as a", "second at 1005 as b"]);
  expect([clock.now, clock.current]).toEqual([1_010, undefined]);
});

test("nothing of a frozen process happens until it thaws, and nothing of a dead one", async () => {
  const clock = openClock(0);
  const frozen = { ...process("frozen"), frozenUntil: 100 };
  const dead = { ...process("dead"), isDead: true };
  const at: number[] = [];
  for (const owner of [frozen, dead, undefined]) clock.after(10, owner, () => at.push(clock.now));
  const cancelled = clock.after(20, undefined, () => at.push(clock.now));
  clock.cancel(cancelled);
  await clock.runUntil(99);
  expect(at).toEqual([10]);
  await clock.runUntil(100);
  expect(at).toEqual([10, 100]);
});

test("more events than one turn of the event loop takes happen in order", async () => {
  const clock = openClock(0);
  const seen: number[] = [];
  for (let event = 4_999; event >= 0; event -= 1) clock.after(event, undefined, () => seen.push(event));
  await clock.runUntil(5_000);
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, event) => event));
});
