import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClockUse, clockUsesIn, type Form } from "./real-clock";
import { type ClockException, places } from "./real-clock-exceptions";

/** No unit test judges by a clock, but for the places on the list, each with its reason. */
const root = join(__dirname, "..");
const others = ["e2e/", "lint/fixtures/"];
const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".ts") && !others.some((folder) => path.startsWith(folder)));

interface Found extends ClockUse {
  readonly path: string;
}
const found: readonly Found[] = files.flatMap((path) =>
  clockUsesIn(path, readFileSync(join(root, path), "utf8")).map((use) => ({ path, ...use })),
);

const isOf = (place: ClockException, path: string) =>
  place.path.endsWith("/") ? path.startsWith(place.path) : path === place.path;
const allows = (place: ClockException, { path, code }: Found) =>
  isOf(place, path) && (place.code ?? [""]).some((part) => code.includes(part));

test("no unit test waits on a clock that is not on the list of real-clock-exceptions.ts", () => {
  const unlisted = found.filter((use) => !places.some((place) => allows(place, use)));
  expect(unlisted.map(({ path, line, form, code }) => `test/${path}:${line}: ${form}: ${code}`)).toEqual([]);
});

test("each entry of the list has a reason, and each part of it is still there", () => {
  const stale = places.flatMap((place) =>
    (place.code ?? [""])
      .filter((part) => !found.some((use) => allows({ ...place, code: [part] }, use)))
      .map((part) => `${place.path}: ${part}`),
  );
  expect(stale).toEqual([]);
  for (const { reason } of places) expect(reason).toMatch(/^[A-Z].{20,}[.]$/);
});

test("each form is found, under whatever name, and what only looks like one is not", () => {
  const text = readFileSync(join(__dirname, "fixtures/real-clock.ts"), "utf8");
  const expected = text.split("\n").flatMap((line, index): [number, Form][] => {
    const [, form] = / \/\/ found: (.*)$/.exec(line) ?? [];
    return form === undefined ? [] : [[index + 1, form as Form]];
  });
  expect(clockUsesIn("fixture.ts", text).map(({ line, form }) => [line, form])).toEqual(expected);
  expect(new Set(expected.map(([, form]) => form)).size).toBe(5);
});
