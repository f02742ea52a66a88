import fc from "fast-check";
import { readingRows } from "../../parity/keda/readings";
import { parseCloudWatchQuery } from "../../lib/sources/cloudwatch/cloudwatch-query";
import { windowOf } from "../../lib/sources/cloudwatch/cloudwatch-calls";
import { imported } from "../sources/imported";

const metric = {
  namespace: "App",
  metricName: "Backlog",
  dimensionName: "Queue",
  dimensionValue: "orders",
  targetMetricValue: "5",
  awsRegion: "eu-west-1",
};

interface Settings {
  readonly metricStat?: string;
  readonly metricStatPeriod?: string;
  readonly metricCollectionTime?: string;
  readonly metricEndTimeOffset?: string;
}

/** Upstream, KEDA 2.21: computeQueryWindow (pkg/scalers/aws_cloudwatch_scaler.go), with its defaults. */
function kedaWindow(settings: Settings, now: number) {
  const { metricStatPeriod = 300, metricCollectionTime = 300, metricEndTimeOffset = 0 } = settings;
  const period = Number(metricStatPeriod) * 1000;
  const end = Math.floor((now - Number(metricEndTimeOffset) * 1000) / period) * period;
  return { start: end - Number(metricCollectionTime) * 1000, end };
}

function ourWindow(settings: Settings, now: number) {
  return windowOf(parseCloudWatchQuery(imported("aws-cloudwatch", { ...metric, ...settings })), now);
}

const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
const growing = ["Sum", "SampleCount", "tc90", "ts90"];
const settled = ["Average", "Minimum", "Maximum", "p99"];

const settings = (metricStat: string) =>
  fc
    .tuple(fc.constantFrom("60", "300"), fc.integer({ min: 1, max: 5 }), fc.constantFrom(undefined, "0", "30", "90"))
    .map(([metricStatPeriod, periods, metricEndTimeOffset]): Settings => {
      const times = { metricStatPeriod, metricCollectionTime: String(periods * Number(metricStatPeriod)) };
      return { metricStat, ...times, ...(metricEndTimeOffset !== undefined && { metricEndTimeOffset }) };
    });

test.each(settled)("the window of %s is KEDA's", (metricStat) => {
  fc.assert(
    fc.property(settings(metricStat), instants, (given, now) =>
      expect(ourWindow(given, now)).toEqual(kedaWindow(given, now)),
    ),
  );
});

test.each(growing)(`that of %s, too, but for: ${readingRows.growing.title}`, (metricStat) => {
  fc.assert(
    fc.property(settings(metricStat), instants, (given, now) => {
      const late = given.metricEndTimeOffset === undefined ? 60_000 : 0;
      expect(ourWindow(given, now)).toEqual(kedaWindow(given, now - late));
    }),
  );
});

test("at 12:05:30, KEDA has the sum from 12:00, which ebb has at 12:06", () => {
  const at = (time: string) => Date.parse(`2026-11-27T${time}Z`);
  const sum = { metricStat: "Sum" };
  expect(kedaWindow(sum, at("12:05:30"))).toEqual({ start: at("12:00:00"), end: at("12:05:00") });
  expect(ourWindow(sum, at("12:05:30"))).toEqual({ start: at("11:55:00"), end: at("12:00:00") });
  expect(ourWindow(sum, at("12:06:00"))).toEqual({ start: at("12:00:00"), end: at("12:05:00") });
});
