import { at } from "../core/build";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { recordFleet } from "../web/recorded-fleet";
import { ebb } from "./run-ebb";

const table = { client: memoryDynamodb(), name: memoryTableName };
const kinds = ["held", "steady", "atMax"] as const;
const asked = ["-n", "shop", "--cluster", "prod"];
const run = async (...args: readonly string[]) =>
  (await ebb([...args, ...asked], { table, now: () => at(10), env: { TZ: "UTC", EBB_TABLE: "ebb" } })).stdout;

beforeAll(() =>
  recordFleet(
    table,
    kinds.map((kind) => ({ cluster: "prod", namespace: "shop", name: kind.toLowerCase(), kind })),
    new AbortController().signal,
  ),
);

test("describe says what holds a size, and until when, in the words of explain", async () => {
  const described = await run("describe", "hpa", "held");
  const [, held = ""] = /^Held: +(\S.*)$/m.exec(described) ?? [];
  expect(held).toMatch(/^scale-down until 12:04:00 UTC .*stabilization window of 5m/);
  expect((await run("explain", "hpa", "held")).replace(/\n +/g, " ")).toContain(`held    ${held}`);
  expect(described.indexOf("Held:")).toBeLessThan(described.indexOf("Conditions:"));
});

test("a size at a bound has no end, and one that nothing holds has no such line", async () => {
  expect(await run("describe", "hpa", "atmax")).toMatch(/^Held: +at 10, its maxReplicas$/m);
  expect(await run("describe", "hpa", "steady")).not.toContain("Held:");
});
