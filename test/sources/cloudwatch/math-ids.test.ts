import { needsOwnCall, renameIds } from "../../../lib/sources/cloudwatch/cloudwatch-query";

const names = new Map([
  ["m1", "q3_m1"],
  ["e", "q3_e"],
]);

test.each([
  ["m1 / e", "q3_m1 / q3_e"],
  ["SUM([m1,e])*100", "SUM([q3_m1,q3_e])*100"],
  ["m1 * 1e3 + 2.5e-1 + .5e2", "q3_m1 * 1e3 + 2.5e-1 + .5e2"],
  ["IF(m1 > 0 AND e < 5, m1, FILL(e, REPEAT))", "IF(q3_m1 > 0 AND q3_e < 5, q3_m1, FILL(q3_e, REPEAT))"],
  [`ANOMALY_DETECTION_BAND(m1, 2) + "m1" + 'it\\'s e'`, `ANOMALY_DETECTION_BAND(q3_m1, 2) + "m1" + 'it\\'s e'`],
])("%s becomes %s", (expression, renamed) => {
  expect(renameIds(expression, names)).toBe(renamed);
});

test("an unknown id is refused, so that it cannot name another query of the call", () => {
  expect(() => renameIds("m1 + q1_m1", names)).toThrow("expected ids of queries (m1, e), got q1_m1 in");
});

test.each([
  ["SUM(METRICS())", true],
  ["SEARCH('{App} depth', 'Sum', 60)", true],
  ["SELECT MAX(x) FROM y", true],
  ["SUM([m1, e])", false],
])("%s needs a call of its own: %s", (expression, own) => {
  expect(needsOwnCall(expression)).toBe(own);
});
