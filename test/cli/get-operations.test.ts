import { putHpa } from "../../local/entries";
import { hpaWith } from "../core/build";
import { tableForTests } from "./table";

const { register, run, table } = tableForTests();

const put = async (name: string, annotations: Readonly<Record<string, string>> = {}) => {
  const hpa = hpaWith();
  await putHpa(table(), "prod", { ...hpa, metadata: { ...hpa.metadata, name, annotations } });
};
const cells = async (line: string) =>
  (await run(line.split(" "))).stdout
    .trimEnd()
    .split("\n")
    .map((row) => row.split(/ {3,}/));

beforeAll(async () => {
  await register("prod");
  await put("free");
});

test("an HPA that is paused or in a dry run says so before its targets, and the columns stay kubectl's", async () => {
  const before = (await run(["get", "hpa", "free", "-n", "shop"])).stdout;
  await put("dry", { "ebb.dev/dry-run": "true" });
  await put("held", { "ebb.dev/paused": "true", "ebb.dev/dry-run": "true" });
  await put("later", { "ebb.dev/paused-until": "2026-03-01T13:00:00Z" });
  await put("over", { "ebb.dev/paused-until": "2026-03-01T11:00:00Z" });
  const rows = await cells("get hpa -n shop");
  expect(rows.map(([name, , targets]) => [name, targets])).toEqual([
    ["NAME", "TARGETS"],
    ["dry", "<dry-run> <unknown>/10 (avg)"],
    ["free", "<unknown>/10 (avg)"],
    ["held", "<paused> <unknown>/10 (avg)"],
    ["later", "<paused> <unknown>/10 (avg)"],
    ["over", "<unknown>/10 (avg)"],
  ]);
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([7]));
  expect((await run(["get", "hpa", "free", "-n", "shop"])).stdout).toBe(before);
});

test("a wide table has a column for it, and leaves the targets as they are", async () => {
  const rows = await cells("get hpa held -n shop -o wide --no-headers");
  expect(rows).toEqual([[..."held,Deployment/web,<unknown>/10 (avg),1,10,0,<invalid>,PAUSED".split(",")]]);
});
