import { Cron } from "croner";
import { fromKedaCron } from "../../../lib/sources/schedule/describe";

test.each<[given: string, pattern: string]>([
  ["0 9 * * 1-5", "0 9 * * 1-5"],
  ["5/15 * * * *", "5-59/15 * * * *"],
  ["0 6/4 * * *", "0 6-23/4 * * *"],
  ["0 0 10/7 JAN/3 MON/2", "0 0 10-31/7 JAN-12/3 MON-6/2"],
  ["0 8-20/4 * * *", "0 8-20/4 * * *"],
  ["0,30/10 8 * * *", "0,30-59/10 8 * * *"],
  ["  0   9\t* *  1-5 ", "0 9 * * 1-5"],
  ["0 9 ? * MON", "0 9 * * MON"],
  ["0 9 1,* */1 1", "0 9 * * 1"],
  ["?/20 9 */2 * 1", "*/20 9 */2 * 1"],
  ["1,,2 9 * * *", "1,2 9 * * *"],
  ["CRON_TZ=Asia/Tokyo 0 5 * * *", "0 5 * * *"],
  ["@daily", "@daily"],
  ["0 9 * *", "0 9 * *"],
])("%j is %j", (given, pattern) => {
  expect(fromKedaCron(given).pattern).toBe(pattern);
});

test("a zone in the expression is the window's", () => {
  expect(fromKedaCron("TZ=Asia/Tokyo 0 5 * * *")).toEqual({ pattern: "0 5 * * *", zone: "Asia/Tokyo" });
  expect(fromKedaCron(undefined)).toEqual({});
});

const limits = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** robfig/cron v3's getRange and getBits, and dayMatches, for one instant. */
function isDue(given: string, at: Date): boolean {
  const parts = given.trim().split(/\s+/);
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
  const fields = parts.map((part, index) => {
    const [min, max] = limits[index] ?? [0, 0];
    let isStar = false;
    const ranges = part.split(",").map((expression) => {
      const [range = "", step = "1"] = expression.split("/");
      const isAll = range === "*" || range === "?";
      const [low = "0", high] = range.split("-");
      const from = isAll ? min : Number(low);
      const to = isAll || (expression.includes("/") && high === undefined) ? max : Number(high ?? low);
      isStar ||= isAll && Number(step) === 1;
      const value = values[index] ?? 0;
      return value >= from && value <= to && (value - from) % Number(step) === 0;
    });
    return { hits: ranges.includes(true), isStar };
  });
  const [minute, hour, dom, month, dow] = fields as [Field, Field, Field, Field, Field];
  const day = dom.isStar || dow.isStar ? dom.hits && dow.hits : dom.hits || dow.hits;
  return minute.hits && hour.hits && month.hits && day;
}

interface Field {
  readonly hits: boolean;
  readonly isStar: boolean;
}

test.each([
  ...["5/15 3 * * *", "0 6/4 * * *", "0 0 10/7 * *", "0 0 */2 * 1", "0 0 */1 * 1", "0 0 1,*/1 * 1"],
  ...["0 0 1 * 1", "0 0 ? 2/3 1/2", "0 0 1/10 * 5/1", "0 12 * 3 0", "0 0 * 1/1 1,3/2"],
])("%j is due when KEDA's parser says", (given) => {
  const pattern = fromKedaCron(given).pattern ?? "";
  const cron = new Cron(pattern, { timezone: "UTC", mode: "5-part" });
  const start = Date.parse("2026-01-01T00:00:00Z");
  const step = given.startsWith("0 ") ? 3_600_000 : 300_000;
  const days = given.startsWith("0 ") ? 366 : 3;
  const expected: string[] = [];
  for (let at = start; at < start + days * 86_400_000; at += step)
    if (isDue(given, new Date(at))) expected.push(new Date(at).toISOString());
  const found = cron.nextRuns(expected.length, new Date(start - 1_000)).map((run) => run.toISOString());
  expect(expected.length).toBeGreaterThan(2);
  expect(found).toEqual(expected);
});
