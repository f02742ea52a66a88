import { hpaKey } from "../../../lib/model/hpa-key";
import type { FailureLine, SyncCounts } from "../../../lib/model/report";
import type { HpaResult } from "../../../lib/sync/hpa/hpa-result";
import { countsOf, countRun, reportNews } from "../../../lib/sync/slot/report-run";

const warning = (message: string, reason = "FailedGetScale") => ({ type: "Warning", reason, message }) as const;
const result = (name: string, more: Partial<HpaResult> = {}): HpaResult => ({
  ...{ key: hpaKey("shop", name), recorded: true, scaled: false, warnings: [], recovered: false, events: [] },
  ...more,
});

test("counts are reported with their times, and what an outcome adds", () => {
  const synced: SyncCounts[] = [];
  const reporter = { synced: (counts: SyncCounts) => void synced.push(counts) };
  const counted = countRun(reporter as never, { cluster: "prod", slot: 1_000 }, { startedAt: 1_200, now: () => 1_700 });
  const all = { cluster: "prod", slot: 1_000, scaled: 0, failed: 0, behind: 0, lagMs: 200, durationMs: 500 };
  expect(counted("late")).toEqual({ ...all, outcome: "late", hpas: 0 });
  expect(counted("synced", { hpas: 3 })).toEqual({ ...all, outcome: "synced", hpas: 3 });
  expect(synced.map(({ outcome }) => outcome)).toEqual(["late", "synced"]);
});

test("what counts as scaled, failed and behind", () => {
  const results = [
    result("a", { scaled: true }),
    result("b", { warnings: [warning("x")] }),
    result("c", { recorded: false, warnings: [warning("x"), warning("y")] }),
    result("d", { recorded: false }),
    result("e"),
  ];
  expect(countsOf(results)).toEqual({ hpas: 5, scaled: 1, failed: 2, behind: 2 });
  expect(countsOf([])).toEqual({ hpas: 0, scaled: 0, failed: 0, behind: 0 });
});

function said(results: readonly HpaResult[], knownLagging: Readonly<Record<string, number>> = {}) {
  const failed: FailureLine[] = [];
  const recovered: unknown[] = [];
  const reporter = {
    failed: (line: FailureLine) => void failed.push(line),
    recovered: (line: unknown) => void recovered.push(line),
  };
  reportNews(reporter as never, "prod", { results, knownLagging, at: 7 });
  return { failed, recovered };
}

describe("what is new", () => {
  const line = { cluster: "prod", reason: "FailedGetScale", message: "gone", at: 7 };

  test("is one line for each failure, which counts the HPAs that have it", () => {
    const news = warning("gone");
    const { failed } = said([
      result("a", { news }),
      result("b", { news: warning("other") }),
      result("c", { news }),
      result("d", { news: warning("gone", "FailedSync") }),
      result("e", { news }),
      result("f"),
    ]);
    expect(failed).toEqual([
      { ...line, hpas: 3 },
      { ...line, message: "other", key: "shop/b" },
      { ...line, reason: "FailedSync", key: "shop/d" },
    ]);
  });

  test.each<[string, Partial<HpaResult>, Readonly<Record<string, number>>, number]>([
    ["an HPA that was behind and is not recorded again", { recorded: false }, { "shop/a": 1 }, 0],
    ["an HPA that was behind and is recorded", {}, { "shop/a": 1 }, 1],
    ["an HPA that is behind for the first time", { recorded: false }, { "shop/b": 1 }, 1],
  ])("of %s", (_name, more, behind, lines) => {
    expect(said([result("a", { news: warning("gone"), ...more })], behind).failed).toHaveLength(lines);
  });

  test("of HPAs that have recovered is a line for each", () => {
    const { failed, recovered } = said([
      result("a", { recovered: true }),
      result("b"),
      result("c", { recovered: true }),
    ]);
    expect(recovered).toEqual([
      { cluster: "prod", key: "shop/a" },
      { cluster: "prod", key: "shop/c" },
    ]);
    expect(failed).toEqual([]);
  });
});
